"""
Is every SQL text made of constants alone?

Told from the source, as types cannot: what a call is given as SQL must lead back to literals, by way of module
constants, local variables, parameters of functions in the same module, loops over constants, and `SqlFragment`s.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

SENDERS = {
    "execute": 1,
    "executemany": 1,
    "select": 2,
    "SqlFragment": 1,
    "Statement": 1,
    "wrap": 2,
    "join": 1,
    "concat": 1,
}
"""Functions that are given SQL, and among how many of their first arguments it is."""
AFTER_CONNECTION = frozenset({"select"})  # their first argument is a connection
COMPOSERS = frozenset({"note_of_sql", "of_note_sql", "sql"})  # give constant SQL for constant arguments
OF_STRINGS = frozenset({"split", "format", "replace", "strip", "items", "values", "keys"})


@dataclass
class Module:
    """The source of one module."""

    tree: ast.Module
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)
    constants: set[str] = field(default_factory=set)  # names at module level whose values are constant
    checking: set[tuple[ast.AST, str]] = field(default_factory=set)  # names that are being looked at

    @classmethod
    def of(cls, source: str) -> "Module":
        module = cls(ast.parse(source))
        for parent in ast.walk(module.tree):
            module.parents.update(dict.fromkeys(ast.iter_child_nodes(parent), parent))
        for node in module.tree.body:
            if isinstance(node, ast.ImportFrom):
                module.constants.update(alias.name for alias in node.names if alias.name.isupper())
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value and module.is_constant(node.value):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                module.constants.update(name.id for t in targets for name in ast.walk(t) if isinstance(name, ast.Name))
        return module

    def calls(self, name: str) -> Iterator[ast.Call]:
        """Calls of functions and methods of that *name*."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and called(node) == name:
                yield node

    def is_constant(self, node: ast.AST) -> bool:
        """Whether the value of an expression is made of constants."""
        match node:
            case ast.Constant():
                return True
            case ast.Name():
                return node.id in self.constants or self._is_constant_variable(node)
            case ast.Attribute():  # of a `SqlFragment`, whose text was looked at where it was made
                return node.attr == "text"
            case ast.FormattedValue() | ast.Starred():
                return self.is_constant(node.value)
            case ast.JoinedStr() | ast.Tuple() | ast.List() | ast.Set():
                return all(map(self.is_constant, node.values if isinstance(node, ast.JoinedStr) else node.elts))
            case ast.Dict():
                return all(map(self.is_constant, node.values))
            case ast.BinOp():
                return self.is_constant(node.left) and self.is_constant(node.right)
            case ast.IfExp():
                return self.is_constant(node.body) and self.is_constant(node.orelse)
            case ast.Subscript():
                return self.is_constant(node.value)
            case ast.Call() if called(node) in COMPOSERS:
                return all(map(self.is_constant, node.args))
            case ast.Call(func=ast.Attribute() as method) if method.attr in OF_STRINGS:
                return self.is_constant(method.value) and all(map(self.is_constant, node.args))
        return False

    def _is_constant_variable(self, name: ast.Name) -> bool:
        """Whether everything that a local variable or a parameter is ever given is constant."""
        scope = self._scope(name)
        while not isinstance(scope, ast.Module):
            key = (scope, name.id)
            if key in self.checking:  # as in `sql = sql + ...`
                return True
            self.checking.add(key)
            try:
                given = list(self._given(scope, name.id))
                if given:
                    return all(value is not None and self.is_constant(value) for value in given)
            finally:
                self.checking.discard(key)
            scope = self._scope(scope)
        return False

    def _given(self, scope: ast.AST, name: str) -> Iterator[ast.AST | None]:
        """What the variable *name* of a function is given; None: something that cannot be looked at."""
        if isinstance(scope, ast.FunctionDef):
            yield from self._given_to_parameter(scope, name)
        for node in ast.walk(scope):
            if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.NamedExpr):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    yield from _matching(target, node.value, name)
            elif isinstance(node, ast.For | ast.comprehension) and name in _names(node.target):
                rows = node.iter.elts if isinstance(node.iter, ast.Tuple | ast.List) else [node.iter]
                for row in rows:
                    yield from _matching(node.target, row, name)

    def _given_to_parameter(self, function: ast.FunctionDef, name: str) -> Iterator[ast.AST | None]:
        arguments = function.args
        positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
        if name not in positional and name not in [argument.arg for argument in arguments.kwonlyargs]:
            return
        if function.name in SENDERS:
            return  # whoever calls it is looked at, wherever that is
        if not function.name.startswith("_"):
            yield None
        at = positional.index(name) - (positional[0] in ("self", "cls")) if name in positional else None
        defaults = dict(zip(reversed(positional), reversed(arguments.defaults), strict=False))
        for call in self.calls(function.name):
            by_keyword = [keyword.value for keyword in call.keywords if keyword.arg == name]
            by_position = call.args[at : at + 1] if at is not None else []
            yield next(iter([*by_keyword, *by_position]), defaults.get(name))

    def _scope(self, node: ast.AST) -> ast.AST:
        node = self.parents[node]
        while not isinstance(node, ast.FunctionDef | ast.Lambda | ast.Module):
            node = self.parents[node]
        return node

    def function_of(self, node: ast.AST) -> str:
        """The name of the function that *node* stands in."""
        scope = self._scope(node)
        while isinstance(scope, ast.Lambda):
            scope = self._scope(scope)
        return getattr(scope, "name", "")


def called(call: ast.Call) -> str:
    """The name of what is called."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _names(target: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def _matching(target: ast.AST, value: ast.AST | None, name: str) -> Iterator[ast.AST | None]:
    """The part of *value* that an assignment gives to *name*."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for one, other in zip(target.elts, value.elts, strict=True):
            yield from _matching(one, other, name)
    elif name in _names(target) and not isinstance(target, ast.Attribute | ast.Subscript):
        yield value


def made_of_more_than_constants(source: str) -> list[tuple[str, int]]:
    """Function and line of each SQL text in *source* that does not lead back to constants alone."""
    module = Module.of(source)
    found = []
    for sender, count in SENDERS.items():
        for call in module.calls(sender):
            is_of_text = sender in ("join", "concat") and isinstance(call.func, ast.Attribute)  # `", ".join(...)`
            texts = [] if is_of_text else call.args[sender in AFTER_CONNECTION : count]
            texts += [keyword.value for keyword in call.keywords if keyword.arg in ("sql", "text", "before", "after")]
            found += [(module.function_of(call), call.lineno) for text in texts if not module.is_constant(text)]
    return sorted(found, key=lambda place: place[1])

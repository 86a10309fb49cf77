"""How many processes may prepare notes, and how does each get the very model that the serving one has?"""

from collections.abc import Callable

from msgspec import Struct

from quarry.embedding.encoder import Encoder, Fingerprint
from quarry.errors import QuarryError

MOST_PROCESSES = 2  # one writer is kept busy by two


class Staffing(Struct, frozen=True):
    """Whoever is given this can load the model."""

    load: Callable[[str], Encoder]  # pickled by name: at the top of a module, or no process can load it
    model_name: str
    most: int = MOST_PROCESSES  # at once

    def encoder(self, fingerprint: Fingerprint) -> Encoder:
        """
        The model of that *fingerprint*.

        Raises:
            ModelMissing: It is not there.
            QuarryError: It is another by now.
        """
        encoder = self.load(self.model_name)
        if encoder.fingerprint != fingerprint:
            raise QuarryError(f"the files of the model {self.model_name!r} changed; restart Quarry to use them")
        return encoder

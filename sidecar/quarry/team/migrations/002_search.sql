-- Searching: functions that propose candidates, and give the rows that a member's own program then ranks.
--
-- They run as the owner of the tables, so that no policy keeps an index from being used, and read only the partitions
-- of `visible_audiences()`: of all others neither what they return nor how long they take tells anything.

BEGIN;

DO $$
BEGIN
    IF to_regclass('quarry.migrations') IS NULL OR NOT EXISTS (SELECT FROM quarry.migrations WHERE version = 1) THEN
        RAISE EXCEPTION 'This migration needs 001_index.sql.' USING HINT = 'Run the files in their order.';
    END IF;
END $$;

SELECT set_config('search_path', concat_ws(', ', 'quarry', nullif(nspname, 'quarry'), 'pg_temp'), true)
FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector';

SET LOCAL ROLE quarry_owner;

-- The best chunks, notes or names (`of_what`) by BM25: k1 = 1.2, b = .75, frequencies in tenths.
--   wanted, weights  terms that count, and the idf of each
--   needed           groups of terms, as text[]: a row is looked at if it holds all terms of one of them, so that a
--                    common word alone costs nothing (the essential terms of MaxScore, and pairs of the others)
--   average          the average length
--   most             rows to look at; of_notes: NULL, or the notes to choose from
CREATE FUNCTION best_by_words(
    of_what text, wanted text[], weights float8[], needed jsonb, average float8, depth int, most int, of_notes bigint[]
) RETURNS TABLE (id bigint, score float8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off AS $$
DECLARE
    terms_column text := CASE of_what WHEN 'names' THEN 'name_terms' ELSE 'terms' END;
    frequencies_column text := CASE of_what WHEN 'names' THEN 'name_frequencies' ELSE 'frequencies' END;
    id_column text := CASE of_what WHEN 'chunks' THEN 'chunk_id' ELSE 'note_id' END;
    condition text;
    formula text;
BEGIN
    SELECT string_agg(format('%I @> %L::text[]', terms_column, ARRAY(SELECT jsonb_array_elements_text(g))), ' OR ')
        INTO condition FROM jsonb_array_elements(needed) g;
    SELECT string_agg(format('coalesce(%s / (1 + norm / frequencies[array_position(terms, %L)]), 0)',
        2.2 * weight, term), ' + ') INTO formula FROM unnest(wanted, weights) AS w (term, weight);
    RETURN QUERY EXECUTE format($query$
        SELECT id, (%1$s)::float8 FROM (
            -- `||` unpacks an array once, not for every term.
            SELECT %2$I AS id, %3$I || '{}'::text[] AS terms, %4$I || '{}'::int2[] AS frequencies,
                3 + 9 * length / $1 AS norm FROM %5$I
            WHERE audience = ANY (%6$L::int[]) AND (%7$s) AND ($2 IS NULL OR %8$s = ANY ($2)) LIMIT $3
        ) AS found ORDER BY 2 DESC, 1 LIMIT $4
        $query$, formula, id_column, terms_column, frequencies_column,
        CASE of_what WHEN 'chunks' THEN 'chunks' ELSE 'notes' END, visible_audiences(), condition,
        CASE of_what WHEN 'chunks' THEN 'chunk_id >> 11' ELSE 'note_id' END)
        USING average, of_notes, most, depth;
END $$;

-- The nearest chunks or titles, in no order; by an index only approximately, then perhaps some too many. Where an
-- index finds fewer than there may be, or there are few notes to choose from, all vectors are compared.
CREATE FUNCTION nearest(of_what text, query halfvec, depth int, of_notes bigint[])
RETURNS TABLE (id bigint, distance float8)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT SET jit = off AS $$
DECLARE
    few constant int := 5000;
    id_column text := CASE of_what WHEN 'chunks' THEN 'chunk_id' ELSE 'note_id' END;
    vector_column text := CASE of_what WHEN 'chunks' THEN 'vector' ELSE 'title_vector' END;
    note_column text := CASE of_what WHEN 'chunks' THEN 'chunk_id >> 11' ELSE 'note_id' END;
    dimension int := (SELECT f.dimension FROM format f);
    part int;
    found bigint;
BEGIN
    of_what := CASE of_what WHEN 'chunks' THEN of_what ELSE 'notes' END;  -- else it might name a table of the caller's
    PERFORM set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', '400', true);
    FOREACH part IN ARRAY visible_audiences() LOOP
        found := 0;
        IF of_notes IS NULL OR cardinality(of_notes) > few THEN
            RETURN QUERY EXECUTE format($query$
                SELECT %1$I, (%2$I::halfvec(%3$s) <=> $1::halfvec(%3$s))::float8 FROM %4$I
                WHERE %2$I IS NOT NULL AND ($2 IS NULL OR %5$s = ANY ($2))
                ORDER BY %2$I::halfvec(%3$s) <=> $1::halfvec(%3$s) LIMIT $3
                $query$, id_column, vector_column, dimension, of_what || '_' || part, note_column)
                USING query, of_notes, depth;
            GET DIAGNOSTICS found = ROW_COUNT;
        END IF;
        IF of_notes IS NOT NULL AND found < depth THEN
            RETURN QUERY EXECUTE format($query$
                SELECT c.%1$I, (c.%2$I::halfvec(%3$s) <=> $1::halfvec(%3$s))::float8 AS apart
                FROM unnest($2) AS n (n) JOIN %4$I c ON %5$s
                WHERE c.%2$I IS NOT NULL ORDER BY apart LIMIT $3
                $query$, id_column, vector_column, dimension, of_what || '_' || part,
                CASE of_what WHEN 'chunks' THEN 'c.chunk_id BETWEEN n << 11 AND (n << 11) + 2047' ELSE 'c.note_id = n' END)
                USING query, of_notes, depth;
        END IF;
    END LOOP;
END $$;

-- Notes that hold a term of each group, up to `most`.
CREATE FUNCTION notes_with_terms(groups jsonb, most int) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT note_id FROM notes WHERE audience = ANY (%L::int[]) AND %s LIMIT %s',
        visible_audiences(),
        (SELECT string_agg(format('terms && %L::text[]', ARRAY(SELECT jsonb_array_elements_text(g))), ' AND ')
            FROM jsonb_array_elements(groups) g),
        most);
END $$;

-- What is stored of notes.
CREATE FUNCTION read_notes(ids bigint[]) RETURNS TABLE (
    note_id bigint, path text, title text, aliases text, properties text, tags text[], modified_ms bigint,
    languages text, is_map boolean, body bytea, vectors bytea, title_vector real[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT note_id, path, title, aliases, properties, tags, modified_ms, languages, is_map,
        body, vectors, title_vector::real[] FROM notes WHERE audience = ANY (%L::int[]) AND note_id = ANY ($1)',
        visible_audiences()) USING ids;
END $$;

GRANT EXECUTE ON FUNCTION best_by_words, nearest, notes_with_terms, read_notes TO quarry_member;

INSERT INTO migrations (version, name) VALUES (2, 'search');

COMMIT;

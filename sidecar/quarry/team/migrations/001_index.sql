-- The index of a team: tables, roles, who sees what, and statistics that follow every change.
--
--   quarry team migrate --to postgresql://admin@host/notes      or      psql -v ON_ERROR_STOP=1 -f 001_index.sql notes
--
-- Run as a superuser, or as the owner of the database with CREATEROLE once `CREATE EXTENSION vector` has been run.
-- Everything happens in one transaction: where it breaks off, the database is as it was.
--
-- A publication is what one vault sends to one team; its notes lie in two audiences: `public`, which every member of
-- the database sees, and `internal`, which the team's members see. A personal index is a team of one member. Every
-- audience is a partition of its own, so that a query touches only what its member may see: neither what it finds nor
-- how long it takes depends on what is hidden from it. (The catalogue does tell how large the partitions are.)

BEGIN;

DO $$
DECLARE
    version text := (SELECT extversion FROM pg_extension WHERE extname = 'vector');
BEGIN
    IF current_setting('server_version_num')::int < 160000 THEN
        RAISE EXCEPTION 'This server is PostgreSQL %.', current_setting('server_version')
            USING HINT = 'Quarry needs PostgreSQL 16 or newer.';
    END IF;
    IF version IS NOT NULL AND string_to_array(version, '.')::int[] < '{0,8}' THEN
        RAISE EXCEPTION 'The extension vector is version %.', version
            USING HINT = 'Quarry needs pgvector 0.8 or newer: install it, then run ALTER EXTENSION vector UPDATE.';
    END IF;
END $$;

-- --- Roles ------------------------------------------------------------------------------------
-- None of them can log in. `quarry_owner` owns everything and is granted to no member; those who connect are granted
-- `quarry_member`, and those who publish `quarry_publisher` as well.

DO $$
DECLARE
    role text;
BEGIN
    FOREACH role IN ARRAY '{quarry_owner,quarry_member,quarry_publisher}'::text[] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN NOBYPASSRLS', role);
        END IF;
    END LOOP;
    IF NOT pg_has_role(current_user, 'quarry_owner', 'SET') THEN
        GRANT quarry_owner TO CURRENT_USER;
    END IF;
    EXECUTE format('GRANT CREATE ON DATABASE %I TO quarry_owner', current_database());
    EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO quarry_publisher', current_database());  -- rows are staged
END $$;

CREATE SCHEMA quarry AUTHORIZATION quarry_owner;
GRANT USAGE ON SCHEMA quarry TO quarry_member, quarry_publisher;
CREATE EXTENSION IF NOT EXISTS vector SCHEMA quarry;

-- The functions below keep this search path, whatever their caller has set.
SELECT set_config('search_path', concat_ws(', ', 'quarry', nullif(nspname, 'quarry'), 'pg_temp'), true)
FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector';

DO $$
BEGIN
    IF EXISTS (
        SELECT FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace, aclexplode(nspacl) granted
        WHERE extname = 'vector' AND granted.grantee = 0 AND granted.privilege_type = 'CREATE'
    ) THEN
        RAISE EXCEPTION 'Everybody may create objects in the schema of the extension vector.'
            USING HINT = 'Run REVOKE CREATE ON SCHEMA public FROM PUBLIC, or move the extension to a schema of its own.';
    END IF;
END $$;

SET LOCAL ROLE quarry_owner;

-- Also of a trigger function: whoever may execute one can attach it to a table of their own, of types of their own, whose
-- functions it would then run as its owner.
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

-- --- Who is who -------------------------------------------------------------------------------

CREATE TABLE migrations (
    version int PRIMARY KEY,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE format (                    -- what every note here was made with; the first publisher decides
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    model text NOT NULL,                 -- fingerprint of the embedding model
    dimension int NOT NULL,
    terms text NOT NULL,                 -- version of the analysis of text
    bodies int NOT NULL                  -- version of `notes.body`
);

CREATE TABLE members (member name PRIMARY KEY);  -- roles that see the public notes

CREATE TABLE team_members (
    team text NOT NULL,
    member name NOT NULL REFERENCES members ON DELETE CASCADE,
    publishes boolean NOT NULL DEFAULT false,
    PRIMARY KEY (team, member)
);

CREATE TABLE publications (
    publication int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    vault text NOT NULL,                 -- its id
    vault_name text NOT NULL,
    team text NOT NULL,
    publisher name NOT NULL,
    folders text[] NOT NULL,
    started_at timestamptz NOT NULL,
    completed_at timestamptz,            -- NULL: a publish is running, or was broken off
    UNIQUE (vault, team)
);

CREATE TABLE audiences (
    audience int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    publication int NOT NULL REFERENCES publications ON DELETE CASCADE,
    sensitivity text NOT NULL CHECK (sensitivity IN ('public', 'internal')),
    last_note bigint NOT NULL DEFAULT 0, -- ids are counted per audience: a gap would tell what others publish
    notes bigint NOT NULL DEFAULT 0,
    chunks bigint NOT NULL DEFAULT 0,
    chunk_terms bigint NOT NULL DEFAULT 0,  -- sum of chunks.length
    note_terms bigint NOT NULL DEFAULT 0,   -- sum of notes.length
    languages text[] NOT NULL DEFAULT '{}', -- besides English
    generation bigint NOT NULL DEFAULT 0,   -- incremented by every change
    UNIQUE (publication, sensitivity)
);

-- --- What is published ------------------------------------------------------------------------

CREATE TABLE notes (
    audience int NOT NULL,
    note_id bigint NOT NULL,             -- audience << 32 | number
    path text NOT NULL COLLATE "C",
    title text NOT NULL,
    aliases text NOT NULL,               -- this and the next: JSON
    properties text NOT NULL,
    tags text[] NOT NULL,                -- folded
    modified_ms bigint NOT NULL,
    languages text,
    is_map boolean NOT NULL,
    content_hash bytea NOT NULL,         -- over all that is published of the note
    body bytea NOT NULL,                 -- chunks, links and terms, as a local index stores them
    vectors bytea NOT NULL,              -- int8, of one chunk after the other; zeros: nothing to embed
    title_vector halfvec,
    terms text[] NOT NULL,               -- of names and text
    frequencies int2[] NOT NULL,         -- weighted, in tenths
    name_terms text[] NOT NULL,          -- of title, aliases and file name
    name_frequencies int2[] NOT NULL,
    length int NOT NULL,                 -- in terms
    PRIMARY KEY (audience, note_id),
    UNIQUE (audience, path),
    -- A publisher may write what they like: nothing that passes for another's, or makes a search fail.
    CHECK (note_id >> 32 = audience AND length >= 0 AND 0 < ALL (frequencies) AND 0 < ALL (name_frequencies)
        AND array_ndims(terms) = 1 AND array_ndims(name_terms) = 1)
) PARTITION BY LIST (audience);

CREATE TABLE chunks (
    audience int NOT NULL,
    chunk_id bigint NOT NULL,            -- note_id << 11 | number
    terms text[] NOT NULL,
    frequencies int2[] NOT NULL,         -- weighted, in tenths
    length int NOT NULL,                 -- in terms
    vector halfvec,                      -- NULL: nothing to embed
    PRIMARY KEY (audience, chunk_id),
    CHECK (chunk_id >> 43 = audience AND length >= 0 AND 0 < ALL (frequencies) AND array_ndims(terms) = 1)
) PARTITION BY LIST (audience);

CREATE TABLE terms (                     -- document frequencies
    audience int NOT NULL,
    term text NOT NULL COLLATE "C",
    chunks int NOT NULL DEFAULT 0,
    notes int NOT NULL DEFAULT 0,
    names int NOT NULL DEFAULT 0,
    PRIMARY KEY (audience, term)
) PARTITION BY LIST (audience);

ALTER TABLE notes ALTER body SET STORAGE EXTERNAL, ALTER vectors SET STORAGE EXTERNAL;  -- compressed, incompressible

-- --- Who sees what ----------------------------------------------------------------------------
-- A publication without public notes is unknown outside its team, and its folders are to everyone but its publisher.

-- The role that asks: of the login, or what a pooler set by SET ROLE; also within SECURITY DEFINER, unlike current_user.
CREATE FUNCTION caller() RETURNS name LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path FROM CURRENT AS $$
    SELECT CASE current_setting('role') WHEN 'none' THEN session_user ELSE current_setting('role')::name END
$$;

CREATE FUNCTION visible_audiences() RETURNS int[]
LANGUAGE sql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT coalesce(array_agg(audience ORDER BY audience), '{}')
    FROM audiences JOIN publications p USING (publication)
    WHERE (sensitivity = 'public' AND notes > 0 AND EXISTS (SELECT FROM members WHERE member = caller()))
        OR EXISTS (SELECT FROM team_members t WHERE t.team = p.team AND t.member = caller())
$$;

CREATE FUNCTION writable_audiences() RETURNS int[]
LANGUAGE sql STABLE PARALLEL RESTRICTED SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT coalesce(array_agg(audience ORDER BY audience), '{}')
    FROM audiences JOIN publications p USING (publication) JOIN team_members t USING (team)
    WHERE p.publisher = caller() AND t.member = caller() AND t.publishes
$$;

-- Connection roles neither own the tables nor bypass these policies; a table without a policy for a role shows it nothing.
-- The columns of vectors are not granted: PostgreSQL filters rows after an HNSW index has found them, so that the time
-- would tell what lies near in hidden partitions. A GIN index is never used under a policy, as its operators are not
-- leakproof. Searching therefore goes through functions that read only the partitions of their caller.
DO $$
DECLARE
    name text;
    columns text;
BEGIN
    FOREACH name IN ARRAY '{audiences,notes,chunks,terms}'::text[] LOOP
        SELECT string_agg(quote_ident(attname), ', ') INTO columns FROM pg_attribute
            WHERE attrelid = name::regclass AND attnum > 0 AND atttypid <> 'halfvec'::regtype;
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('GRANT SELECT (%s) ON %I TO quarry_member, quarry_publisher', columns, name);
        EXECUTE format('CREATE POLICY member_reads ON %I FOR SELECT TO quarry_member
            USING (audience = ANY ((SELECT visible_audiences())::int[]))', name);
        EXECUTE format('CREATE POLICY publisher_reads ON %I FOR SELECT TO quarry_publisher
            USING (audience = ANY ((SELECT writable_audiences())::int[]))', name);
    END LOOP;
    FOREACH name IN ARRAY '{notes,chunks}'::text[] LOOP
        EXECUTE format('GRANT INSERT, DELETE ON %I TO quarry_publisher', name);
        EXECUTE format('CREATE POLICY publisher_adds ON %I FOR INSERT TO quarry_publisher
            WITH CHECK (audience = ANY ((SELECT writable_audiences())::int[]))', name);
        EXECUTE format('CREATE POLICY publisher_deletes ON %I FOR DELETE TO quarry_publisher
            USING (audience = ANY ((SELECT writable_audiences())::int[]))', name);
    END LOOP;
END $$;

ALTER TABLE publications ENABLE ROW LEVEL SECURITY;
GRANT SELECT (publication, vault, vault_name, team, publisher, started_at, completed_at)
    ON publications TO quarry_member, quarry_publisher;
CREATE POLICY member_reads ON publications FOR SELECT TO quarry_member, quarry_publisher
    USING (publisher = caller() OR publication IN (SELECT publication FROM audiences));

ALTER TABLE members ENABLE ROW LEVEL SECURITY;
ALTER TABLE team_members ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON members, team_members TO quarry_member, quarry_publisher;
CREATE POLICY own_row ON members FOR SELECT USING (member = caller());
CREATE POLICY own_row ON team_members FOR SELECT USING (member = caller());

GRANT SELECT ON migrations, format TO quarry_member, quarry_publisher;

-- --- Statistics -------------------------------------------------------------------------------
-- BM25 needs them of exactly the notes that a member sees: they are kept per audience, and added up by who asks.

CREATE FUNCTION count_chunks() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    sign int := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO terms AS t (audience, term, chunks)
        SELECT audience, term, sign * count(*) FROM changed, unnest(terms) term GROUP BY audience, term
        ON CONFLICT (audience, term) DO UPDATE SET chunks = t.chunks + excluded.chunks;
    IF sign < 0 THEN
        DELETE FROM terms t USING (SELECT DISTINCT audience, unnest(terms) term FROM changed) gone
            WHERE t.audience = gone.audience AND t.term = gone.term AND t.notes = 0 AND t.chunks = 0;
    END IF;
    UPDATE audiences a SET chunks = chunks + sign * n, chunk_terms = chunk_terms + sign * total, generation = generation + 1
        FROM (SELECT audience, count(*) n, sum(length) total FROM changed GROUP BY audience) c
        WHERE a.audience = c.audience;
    RETURN NULL;
END $$;

CREATE FUNCTION count_notes() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    sign int := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO terms AS t (audience, term, notes, names)
        SELECT audience, term, sign * count(*) FILTER (WHERE NOT is_name), sign * count(*) FILTER (WHERE is_name)
        FROM (
            SELECT audience, unnest(terms) term, false is_name FROM changed
            UNION ALL SELECT audience, unnest(name_terms), true FROM changed
        ) each GROUP BY audience, term
        ON CONFLICT (audience, term) DO UPDATE SET notes = t.notes + excluded.notes, names = t.names + excluded.names;
    IF sign < 0 THEN
        DELETE FROM terms t USING (SELECT DISTINCT audience, unnest(terms) term FROM changed) gone
            WHERE t.audience = gone.audience AND t.term = gone.term AND t.notes = 0 AND t.chunks = 0;
    END IF;
    UPDATE audiences a SET notes = notes + sign * n, note_terms = note_terms + sign * total, generation = generation + 1
        FROM (SELECT audience, count(*) n, sum(length) total FROM changed GROUP BY audience) c
        WHERE a.audience = c.audience;
    RETURN NULL;
END $$;

CREATE TRIGGER count_added AFTER INSERT ON chunks REFERENCING NEW TABLE AS changed EXECUTE FUNCTION count_chunks();
CREATE TRIGGER count_deleted AFTER DELETE ON chunks REFERENCING OLD TABLE AS changed EXECUTE FUNCTION count_chunks();
CREATE TRIGGER count_added AFTER INSERT ON notes REFERENCING NEW TABLE AS changed EXECUTE FUNCTION count_notes();
CREATE TRIGGER count_deleted AFTER DELETE ON notes REFERENCING OLD TABLE AS changed EXECUTE FUNCTION count_notes();

-- No statistics for the planner: EXPLAIN and debug_print_plan show what it makes of them, of rows that a policy hides and
-- of tables without a grant as well.
CREATE FUNCTION keep_no_statistics(of_table name) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    EXECUTE (SELECT format('ALTER TABLE %I %s', of_table, string_agg(format('ALTER %I SET STATISTICS 0', attname), ', '))
        FROM pg_attribute WHERE attrelid = format('quarry.%I', of_table)::regclass AND attnum > 0);
END $$;

-- --- Publishing -------------------------------------------------------------------------------

-- Begins to publish a vault to a team. The first publish makes its audiences, without the indexes that are quicker
-- built at its end; ATTACH does not hold up those who search meanwhile.
CREATE FUNCTION begin_publish(vault_id text, name_of_vault text, to_team text, of_folders text[]) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    id int;
    new_audience int;
    kind text;
    parent text;
    vector_column text;
BEGIN
    IF NOT EXISTS (SELECT FROM team_members t WHERE t.team = to_team AND t.member = caller() AND t.publishes) THEN
        RAISE insufficient_privilege USING MESSAGE = format('%s may not publish to the team %s.', caller(), to_team),
            HINT = format('An administrator allows it: quarry team add %s --team %s --publishes', caller(), to_team);
    END IF;
    INSERT INTO publications AS p (vault, vault_name, team, publisher, folders, started_at)
        VALUES (vault_id, name_of_vault, to_team, caller(), of_folders, now())
        ON CONFLICT (vault, team) DO UPDATE
            SET vault_name = excluded.vault_name, folders = excluded.folders, started_at = now(), completed_at = NULL
            WHERE p.publisher = caller()
        RETURNING publication INTO id;
    IF id IS NULL THEN
        RAISE insufficient_privilege USING MESSAGE = format('Another role publishes this vault to the team %s.', to_team),
            HINT = 'Publish as that role, or have an administrator change quarry.publications.publisher.';
    END IF;
    FOREACH kind IN ARRAY '{public,internal}'::text[] LOOP
        INSERT INTO audiences (publication, sensitivity) VALUES (id, kind)
            ON CONFLICT DO NOTHING RETURNING audience INTO new_audience;
        CONTINUE WHEN NOT FOUND;
        FOR parent, vector_column IN VALUES ('notes', 'title_vector'), ('chunks', 'vector'), ('terms', NULL) LOOP
            EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', parent || '_' || new_audience, parent);
            PERFORM keep_no_statistics((parent || '_' || new_audience)::name);
            IF vector_column IS NOT NULL THEN
                EXECUTE format('ALTER TABLE %I ADD CHECK (vector_dims(%I) = %s)', parent || '_' || new_audience,
                    vector_column, (SELECT dimension FROM format));
            END IF;
            EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES IN (%s)',
                parent, parent || '_' || new_audience, new_audience);
        END LOOP;
    END LOOP;
    RETURN id;
END $$;

-- Reserves ids for so many new notes, and returns the number of the first.
CREATE FUNCTION take_note_numbers(of_audience int, how_many int) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    UPDATE audiences SET last_note = last_note + how_many
        WHERE audience = of_audience AND audience = ANY (writable_audiences())
        RETURNING last_note - how_many + 1
$$;

-- Ends a publish: builds the indexes that are missing. Few vectors are compared one by one, which is exact.
CREATE FUNCTION end_publish(of_publication int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    few constant int := 2000;
    to_index record;
BEGIN
    FOR to_index IN
        SELECT format('%s_%s', i.name, a.audience) AS index_name, format('%s_%s', i.parent, a.audience) AS partition,
            format(i.method, f.dimension) AS method
        FROM audiences a, format f, (VALUES
            ('chunks_by_term', 'chunks', 0, 'gin (terms)'),
            ('notes_by_term', 'notes', 0, 'gin (terms)'),
            ('notes_by_name', 'notes', 0, 'gin (name_terms)'),
            ('chunks_by_vector', 'chunks', few, 'hnsw ((vector::halfvec(%s)) halfvec_cosine_ops)'),
            ('notes_by_vector', 'notes', few, 'hnsw ((title_vector::halfvec(%s)) halfvec_cosine_ops)')
        ) AS i (name, parent, least, method)
        WHERE a.publication = of_publication AND a.audience = ANY (writable_audiences())
            AND CASE i.parent WHEN 'notes' THEN a.notes ELSE a.chunks END >= i.least
            AND to_regclass(format('quarry.%s_%s', i.name, a.audience)) IS NULL
    LOOP
        EXECUTE format('CREATE INDEX %I ON %I USING %s',
            to_index.index_name, to_index.partition, to_index.method);
        EXECUTE format('ANALYZE %I', to_index.partition);
    END LOOP;
    UPDATE audiences a SET languages = ARRAY(
            SELECT DISTINCT language FROM notes n, string_to_table(n.languages, ' ') language
            WHERE n.audience = a.audience ORDER BY language)
        WHERE publication = of_publication AND audience = ANY (writable_audiences());
    UPDATE publications p SET completed_at = clock_timestamp()
        WHERE publication = of_publication AND EXISTS (
            SELECT FROM audiences a WHERE a.publication = p.publication AND audience = ANY (writable_audiences()));
END $$;

-- --- For administrators -----------------------------------------------------------------------

-- Lets a role that can log in see the public notes and those of a team; it also needs GRANT quarry_member, and with
-- may_publish GRANT quarry_publisher.
CREATE FUNCTION add_member(to_team text, new_member name, may_publish boolean DEFAULT false) RETURNS void
LANGUAGE sql SET search_path FROM CURRENT AS $$
    INSERT INTO members VALUES (new_member) ON CONFLICT DO NOTHING;
    INSERT INTO team_members VALUES (to_team, new_member, may_publish)
        ON CONFLICT (team, member) DO UPDATE SET publishes = excluded.publishes;
$$;

-- Takes a role out of every team, effective with its next query.
CREATE FUNCTION remove_member(old_member name) RETURNS void LANGUAGE sql SET search_path FROM CURRENT AS $$
    DELETE FROM members WHERE member = old_member;
$$;

-- Deletes all that a vault has published to a team.
CREATE FUNCTION withdraw(of_vault text, from_team text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    gone int;
BEGIN
    FOR gone IN SELECT audience FROM audiences JOIN publications USING (publication)
        WHERE vault = of_vault AND team = from_team
    LOOP
        EXECUTE format('DROP TABLE notes_%1$s, chunks_%1$s, terms_%1$s', gone);
    END LOOP;
    DELETE FROM publications WHERE vault = of_vault AND team = from_team;
    DELETE FROM format WHERE NOT EXISTS (SELECT FROM publications);  -- the next publisher may bring another model
END $$;

GRANT EXECUTE ON FUNCTION caller, visible_audiences, writable_audiences TO quarry_member, quarry_publisher;
GRANT EXECUTE ON FUNCTION begin_publish, take_note_numbers, end_publish TO quarry_publisher;
GRANT INSERT ON format TO quarry_publisher;

SELECT keep_no_statistics(relname) FROM pg_class WHERE relnamespace = 'quarry'::regnamespace AND relkind IN ('r', 'p')
    AND relowner = 'quarry_owner'::regrole;

INSERT INTO migrations (version, name) VALUES (1, 'index');

COMMIT;

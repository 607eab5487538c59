// What the catalogue holds of tables, views and sequences, as the lines of schema.sql. Read only; every name is as the
// connection's search path shows it, which is to be the schema alone.

/**
 * Tables, views and sequences of one's own. Partitions are left out: they come and go with the days. So are the sequences of identity columns, which belong to their column, and TypeORM's list of migrations.
 */
export const RELATIONS = `
SELECT c.oid, c.relname AS name, c.relkind AS kind,
       CASE c.relkind
         WHEN 'v' THEN format('CREATE VIEW %I%s AS%s', c.relname, options.with, E'\\n' || pg_get_viewdef(c.oid, true))
         WHEN 'S' THEN (
           SELECT format('CREATE SEQUENCE %I AS %s START %s INCREMENT %s MINVALUE %s MAXVALUE %s CACHE %s%s;', c.relname,
                         format_type(s.seqtypid, NULL), s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcache,
                         CASE WHEN s.seqcycle THEN ' CYCLE' ELSE '' END)
           FROM pg_sequence s WHERE s.seqrelid = c.oid)
         ELSE format('CREATE%s TABLE %I', CASE c.relpersistence WHEN 'u' THEN ' UNLOGGED' ELSE '' END, c.relname)
       END AS head,
       coalesce(' PARTITION BY ' || pg_get_partkeydef(c.oid), '') || options.with AS tail
FROM pg_class c
CROSS JOIN LATERAL (SELECT coalesce(' WITH (' || array_to_string(c.reloptions, ', ') || ')', '') AS with) options
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'S') AND c.relname NOT IN ('migration', 'migration_id_seq')
  AND NOT c.relispartition
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'i' AND c.relkind = 'S')
ORDER BY c.relname COLLATE "C"`;

/** What stands between a table's brackets: its columns as they lie, then its keys and checks. */
export const MEMBERS = `
SELECT a.attrelid AS relation, 0 AS place, a.attnum AS number, '' AS name, quote_ident(a.attname) AS "column",
       concat_ws(' ', format_type(a.atttypid, a.atttypmod),
         CASE WHEN a.attstorage <> t.typstorage THEN 'STORAGE ' || CASE a.attstorage
           WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL' WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED' END END,
         CASE a.attcompression WHEN 'l' THEN 'COMPRESSION lz4' WHEN 'p' THEN 'COMPRESSION pglz' END,
         CASE WHEN a.attcollation <> t.typcollation THEN 'COLLATE ' || a.attcollation::regcollation END,
         CASE WHEN a.attidentity <> '' THEN format('GENERATED %s AS IDENTITY', CASE a.attidentity WHEN 'a' THEN 'ALWAYS' ELSE 'BY DEFAULT' END)
              WHEN a.attgenerated <> '' THEN format('GENERATED ALWAYS AS (%s) %s', pg_get_expr(d.adbin, d.adrelid, true), CASE a.attgenerated WHEN 's' THEN 'STORED' ELSE 'VIRTUAL' END)
              WHEN d.adbin IS NOT NULL THEN 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid, true) END,
         CASE WHEN a.attnotnull THEN 'NOT NULL' END) AS text
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = ANY($1) AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT k.conrelid, position(k.contype::text IN 'puxfc'), 0, k.conname, NULL, format('CONSTRAINT %I %s', k.conname, pg_get_constraintdef(k.oid, true))
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
-- A constraint that is NOT NULL (PostgreSQL 18) is told by its column; one that is a trigger, among the triggers.
WHERE k.conrelid = ANY($1) AND k.contype NOT IN ('n', 't') AND k.conislocal
ORDER BY place, number, name`;

/** What follows a table: indexes that no constraint made, triggers, comments. */
export const FOLLOWERS = `
SELECT i.indrelid AS relation, 1 AS place, c.relname::text COLLATE "C" AS name, regexp_replace(pg_get_indexdef(i.indexrelid, 0, true), ' ON ONLY ', ' ON ') AS text
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = ANY($1) AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.conrelid = i.indrelid)
UNION ALL
SELECT t.tgrelid, 2, t.tgname::text COLLATE "C", pg_get_triggerdef(t.oid, true)
FROM pg_trigger t WHERE t.tgrelid = ANY($1) AND NOT t.tgisinternal
UNION ALL
SELECT about.relation, 3, o.identity COLLATE "C", format('COMMENT ON %s %s IS %L', upper(regexp_replace(o.type, '^(table|view) (?=column|constraint)', '')), o.identity, d.description)
FROM pg_description d
CROSS JOIN LATERAL pg_identify_object(d.classoid, d.objoid, d.objsubid) o
CROSS JOIN LATERAL (
  SELECT d.objoid AS relation WHERE d.classoid = 'pg_class'::regclass
  UNION ALL SELECT i.indrelid FROM pg_index i WHERE d.classoid = 'pg_class'::regclass AND i.indexrelid = d.objoid
  UNION ALL SELECT k.conrelid FROM pg_constraint k WHERE d.classoid = 'pg_constraint'::regclass AND k.oid = d.objoid
  UNION ALL SELECT t.tgrelid FROM pg_trigger t WHERE d.classoid = 'pg_trigger'::regclass AND t.oid = d.objoid
) about
WHERE about.relation = ANY($1)
ORDER BY place, name`;

/** Functions and procedures with their comments. */
export const FUNCTIONS = `
SELECT p.proname AS name, rtrim(pg_get_functiondef(p.oid), E'\\n') || ';'
       || coalesce(E'\\nCOMMENT ON ROUTINE ' || p.oid::regprocedure || ' IS ' || quote_literal(obj_description(p.oid, 'pg_proc')) || ';', '') AS text
FROM pg_proc p
WHERE p.pronamespace = current_schema()::regnamespace AND p.prokind IN ('f', 'p')
ORDER BY p.proname COLLATE "C", p.oid::regprocedure::text COLLATE "C"`;

/** Whatever else a schema may hold: what is found here would be missing from schema.sql without a word. */
export const UNKNOWN = `
SELECT format('%s (relkind %s)', c.oid::regclass, c.relkind) AS what FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND (c.relkind IN ('m', 'f', 'c') OR c.relrowsecurity OR c.relreplident NOT IN ('d', 'n') OR c.relhasrules AND c.relkind <> 'v')
UNION ALL
SELECT format('type %s', oid::regtype) FROM pg_type WHERE typnamespace = current_schema()::regnamespace AND typtype IN ('d', 'e', 'r')
UNION ALL
SELECT format('aggregate %s', oid::regprocedure) FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND prokind NOT IN ('f', 'p')
UNION ALL
SELECT format('statistics %s', stxname) FROM pg_statistic_ext WHERE stxnamespace = current_schema()::regnamespace
UNION ALL
SELECT format('index %s, which is not valid', indexrelid::regclass) FROM pg_index JOIN pg_class c ON c.oid = indrelid
WHERE c.relnamespace = current_schema()::regnamespace AND NOT indisvalid
UNION ALL
SELECT format('identity by %s, which does not count by ones', c.oid::regclass) FROM pg_sequence JOIN pg_class c ON c.oid = seqrelid
WHERE c.relnamespace = current_schema()::regnamespace AND (seqstart, seqincrement, seqcache, seqcycle) <> (1, 1, 1, false)
  AND EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'i')
UNION ALL
SELECT format('trigger %s, which does not fire as it is made', tgname) FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
WHERE c.relnamespace = current_schema()::regnamespace AND tgenabled <> 'O'
UNION ALL
SELECT format('settings of column %s.%s', a.attrelid::regclass, a.attname) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND (a.attoptions IS NOT NULL OR coalesce(a.attstattarget, -1) <> -1) AND a.attnum > 0
ORDER BY 1`;

// What the catalogue holds of types, tables, views and sequences, as the lines of schema.sql. Read only; every name is as the
// connection's search path shows it, which is to be the schema alone.

/**
 * Types of rows, tables, views and sequences. Left out are partitions, which come and go with the days, the sequences of
 * identity columns, which belong to their column, and TypeORM's list of migrations.
 */
export const RELATIONS = `
select c.oid, c.relname as name, c.relkind as kind,
       case c.relkind
         when 'c' then format('CREATE TYPE %I AS', c.relname)
         when 'v' then format('CREATE VIEW %I%s AS%s', c.relname, options.with, E'\\n' || pg_get_viewdef(c.oid, true))
         when 'S' then (
           select format('CREATE SEQUENCE %I AS %s START %s INCREMENT %s MINVALUE %s MAXVALUE %s CACHE %s%s;', c.relname,
                         format_type(s.seqtypid, null), s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcache,
                         case when s.seqcycle then ' CYCLE' else '' end)
           from pg_sequence s where s.seqrelid = c.oid)
         else format('CREATE%s TABLE %I', case c.relpersistence when 'u' then ' UNLOGGED' else '' end, c.relname)
       end as head,
       coalesce(' PARTITION BY ' || pg_get_partkeydef(c.oid), '') || options.with as tail
from pg_class c
cross join lateral (select coalesce(' WITH (' || array_to_string(c.reloptions, ', ') || ')', '') as with) options
where c.relnamespace = current_schema()::regnamespace and c.relkind in ('c', 'r', 'p', 'v', 'S') and c.relname not in ('migration', 'migration_id_seq')
  and not c.relispartition
  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'i' and c.relkind = 'S')
order by c.relname collate "C"`;

/** The text between the brackets of a table or type: its columns in order, then its keys and checks. */
export const MEMBERS = `
select a.attrelid as relation, 0 as place, a.attnum as number, '' as name, quote_ident(a.attname) as "column",
       concat_ws(' ', format_type(a.atttypid, a.atttypmod),
         case when a.attstorage <> t.typstorage then 'STORAGE ' || case a.attstorage
           when 'p' then 'PLAIN' when 'e' then 'EXTERNAL' when 'm' then 'MAIN' else 'EXTENDED' end end,
         case a.attcompression when 'l' then 'COMPRESSION lz4' when 'p' then 'COMPRESSION pglz' end,
         case when a.attcollation <> t.typcollation then 'COLLATE ' || a.attcollation::regcollation end,
         case when a.attidentity <> '' then format('GENERATED %s AS IDENTITY', case a.attidentity when 'a' then 'ALWAYS' else 'BY DEFAULT' end)
              when a.attgenerated <> '' then format('GENERATED ALWAYS AS (%s) %s', pg_get_expr(d.adbin, d.adrelid, true), case a.attgenerated when 's' then 'STORED' else 'VIRTUAL' end)
              when d.adbin is not null then 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid, true) end,
         case when a.attnotnull then 'NOT NULL' end) as text
from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
where a.attrelid = any($1) and c.relkind in ('c', 'r', 'p') and a.attnum > 0 and not a.attisdropped
union all
select k.conrelid, position(k.contype::text in 'puxfc'), 0, k.conname, null, format('CONSTRAINT %I %s', k.conname, pg_get_constraintdef(k.oid, true))
from pg_constraint k join pg_class c on c.oid = k.conrelid
-- A constraint that is NOT NULL (PostgreSQL 18) is described with its column; a constraint trigger, among the triggers.
where k.conrelid = any($1) and k.contype not in ('n', 't') and k.conislocal
order by place, number, name`;

/** The text behind a table: indexes that no constraint made, triggers, comments. */
export const FOLLOWERS = `
select i.indrelid as relation, 1 as place, c.relname::text collate "C" as name, regexp_replace(pg_get_indexdef(i.indexrelid, 0, true), ' ON ONLY ', ' ON ') as text
from pg_index i join pg_class c on c.oid = i.indexrelid
where i.indrelid = any($1) and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.conrelid = i.indrelid)
union all
select t.tgrelid, 2, t.tgname::text collate "C", pg_get_triggerdef(t.oid, true)
from pg_trigger t where t.tgrelid = any($1) and not t.tgisinternal
union all
select about.relation, 3, o.identity collate "C", format('COMMENT ON %s %s IS %L', upper(regexp_replace(o.type, '^(table|view) (?=column|constraint)', '')), o.identity, d.description)
from pg_description d
cross join lateral pg_identify_object(d.classoid, d.objoid, d.objsubid) o
cross join lateral (
  select d.objoid as relation where d.classoid = 'pg_class'::regclass
  union all select i.indrelid from pg_index i where d.classoid = 'pg_class'::regclass and i.indexrelid = d.objoid
  union all select k.conrelid from pg_constraint k where d.classoid = 'pg_constraint'::regclass and k.oid = d.objoid
  union all select t.tgrelid from pg_trigger t where d.classoid = 'pg_trigger'::regclass and t.oid = d.objoid
) about
where about.relation = any($1)
order by place, name`;

/** Functions and procedures with their comments. */
export const FUNCTIONS = `
select p.proname as name, rtrim(pg_get_functiondef(p.oid), E'\\n') || ';'
       || coalesce(E'\\nCOMMENT ON ROUTINE ' || p.oid::regprocedure || ' IS ' || quote_literal(obj_description(p.oid, 'pg_proc')) || ';', '') as text
from pg_proc p
where p.pronamespace = current_schema()::regnamespace and p.prokind in ('f', 'p')
order by p.proname collate "C", p.oid::regprocedure::text collate "C"`;

/** Anything else that a schema may have. Without this check it would be missing from schema.sql silently. */
export const UNKNOWN = `
select format('%s (relkind %s)', c.oid::regclass, c.relkind) as what from pg_class c
where c.relnamespace = current_schema()::regnamespace and (c.relkind in ('m', 'f') or c.relrowsecurity or c.relreplident not in ('d', 'n') or c.relhasrules and c.relkind <> 'v')
union all
select format('type %s', oid::regtype) from pg_type where typnamespace = current_schema()::regnamespace and typtype in ('d', 'e', 'r')
union all
select format('aggregate %s', oid::regprocedure) from pg_proc where pronamespace = current_schema()::regnamespace and prokind not in ('f', 'p')
union all
select format('statistics %s', stxname) from pg_statistic_ext where stxnamespace = current_schema()::regnamespace
union all
select format('index %s, which is not valid', indexrelid::regclass) from pg_index join pg_class c on c.oid = indrelid
where c.relnamespace = current_schema()::regnamespace and not indisvalid
union all
select format('identity by %s, which does not count by ones', c.oid::regclass) from pg_sequence join pg_class c on c.oid = seqrelid
where c.relnamespace = current_schema()::regnamespace and (seqstart, seqincrement, seqcache, seqcycle) <> (1, 1, 1, false)
  and exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'i')
union all
select format('trigger %s, which does not fire as it is made', tgname) from pg_trigger join pg_class c on c.oid = tgrelid
where c.relnamespace = current_schema()::regnamespace and tgenabled <> 'O'
union all
select format('settings of column %s.%s', a.attrelid::regclass, a.attname) from pg_attribute a join pg_class c on c.oid = a.attrelid
where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and (a.attoptions is not null or coalesce(a.attstattarget, -1) <> -1) and a.attnum > 0
order by 1`;

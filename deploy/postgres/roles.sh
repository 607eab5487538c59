#!/bin/sh
# Run once, by the postgres image on an empty volume: a role for each service that owns its schema and nothing else. Their
# passwords may hold anything but a line end: psql quotes them.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
  --set scheduler_password="$(cat /run/secrets/scheduler_database_password)" \
  --set push_password="$(cat /run/secrets/push_database_password)" <<'SQL'
revoke all on database :"DBNAME" from public;
revoke all on schema public from public;
create role carillon_scheduler login password :'scheduler_password';
create role carillon_push login password :'push_password';
grant connect on database :"DBNAME" to carillon_scheduler, carillon_push;
create schema scheduler authorization carillon_scheduler;
create schema push authorization carillon_push;
SQL

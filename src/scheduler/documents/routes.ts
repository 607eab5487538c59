// Every route of the API as its decorators describe it: its path, who may call it, what it takes and what it answers.
import { RequestMethod, type Type } from '@nestjs/common';
import {
  HTTP_CODE_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { z } from 'zod';
import { OPERATION_KEY, type OperationMark } from '../../platform/http/operation.decorator.js';
import type { Role } from '../admin/auth/caller.js';
import { OPEN_KEY, ROLES_KEY } from '../admin/auth/roles.js';

interface RouteArgument {
  readonly index: number;
  /** The name of the path segment or the header. */
  readonly data?: string;
  readonly schema?: unknown;
}

/** One route as its decorators describe it. */
export interface Route {
  readonly method: string;
  /** `/v1/campaigns/{id}` */
  readonly path: string;
  readonly id: string;
  readonly status: number;
  /** undefined: it is open to everybody. */
  readonly roles: readonly Role[] | undefined;
  readonly params: readonly (readonly [name: string, schema: z.ZodType])[];
  readonly query: z.ZodObject | undefined;
  readonly body: z.ZodType | undefined;
  readonly mark: OperationMark;
}

/** Throws where a route does not say what it answers: it could not be described. */
export function routesOf(controllers: readonly Type[]): Route[] {
  return controllers.flatMap((controller) =>
    Object.getOwnPropertyNames(controller.prototype)
      .filter((name) => Reflect.hasMetadata(METHOD_METADATA, handlerOf(controller, name)))
      .map((name) => routeOf(controller, name)),
  );
}

function handlerOf(controller: Type, name: string): object {
  return (controller.prototype as Readonly<Record<string, object>>)[name] ?? {};
}

function routeOf(controller: Type, name: string): Route {
  const handler = handlerOf(controller, name);
  const of = (key: string): unknown => Reflect.getMetadata(key, handler);
  const either = (key: string): unknown => of(key) ?? Reflect.getMetadata(key, controller);
  const mark = of(OPERATION_KEY) as OperationMark | undefined;
  if (mark === undefined) throw new Error(`${controller.name}.${name} does not say what it answers`);
  const method = RequestMethod[of(METHOD_METADATA) as RequestMethod];
  const prefix = Reflect.getMetadata(PATH_METADATA, controller) as string;
  const parts = [prefix, of(PATH_METADATA) as string].flatMap((part) => part.split('/')).filter(Boolean);
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<
    string,
    RouteArgument
  >;
  const given = (type: RouteParamtypes): RouteArgument[] =>
    Object.entries(args).flatMap(([key, value]) => (key.startsWith(`${type}:`) ? [value] : []));
  const [query] = given(RouteParamtypes.QUERY);
  const [body] = given(RouteParamtypes.BODY);
  return {
    method,
    path: `/${parts.map((part) => part.replace(/^:(\w+)$/, '{$1}')).join('/')}`,
    id: `${controller.name.replace(/Controller$/, '')}_${name}`,
    status: (of(HTTP_CODE_METADATA) as number | undefined) ?? (method === 'POST' ? 201 : 200),
    roles: either(OPEN_KEY) === true ? undefined : ((either(ROLES_KEY) ?? []) as Role[]),
    params: given(RouteParamtypes.PARAM)
      .toSorted((a, b) => parts.indexOf(`:${a.data}`) - parts.indexOf(`:${b.data}`))
      .map(({ data = '', schema }) => [data, schema as z.ZodType]),
    query: query?.schema as z.ZodObject | undefined,
    body: body?.schema as z.ZodType | undefined,
    mark,
  };
}

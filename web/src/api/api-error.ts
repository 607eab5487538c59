// A refusal of the API (RFC 9457), or that no answer came.

export interface ApiProblem {
  /** 0: no answer came. */
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly problems: readonly { readonly pointer: string; readonly code: string; readonly text: string }[];
}

export class ApiError extends Error {
  constructor(readonly problem: ApiProblem) {
    super(problem.detail);
    this.name = 'ApiError';
  }

  static noAnswer(): ApiError {
    const nothing = { requestId: undefined, retryAfterSeconds: undefined, problems: [] };
    return new ApiError({ status: 0, code: 'NO_ANSWER', detail: '', ...nothing });
  }
}

/** A proxy may answer in our place, and in another form. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const body = (await response.json().catch(() => ({}))) as Partial<ApiProblem>;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return {
    status: response.status,
    code: body.code ?? `HTTP_${response.status}`,
    detail: body.detail ?? response.statusText,
    requestId: body.requestId ?? response.headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
    problems: body.problems ?? [],
  };
}

/** What went wrong, whatever was thrown. */
export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiError) return error.problem;
  const detail = error instanceof Error ? error.message : String(error);
  return { ...ApiError.noAnswer().problem, code: 'FAULT_OF_THE_PAGE', detail };
}

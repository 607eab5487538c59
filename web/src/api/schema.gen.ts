// Written by `npm run schemas` from the routes of the API; not to be edited.
export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The way to the documents */
        get: operations["Root_ways"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/asyncapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The topics, AsyncAPI 3 */
        get: operations["Documents_asyncapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document, readable */
        get: operations["Viewer_page"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Parts of the page */
        get: operations["Viewer_part"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The process answers */
        get: operations["Health_live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether it can do its work */
        get: operations["Health_ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document, OpenAPI 3.1 */
        get: operations["Documents_openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schemas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The names of all published contracts */
        get: operations["Documents_names"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schemas/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One of them: the JSON Schema of an event, or a document */
        get: operations["Documents_schema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What needs a person, or did, newest first
         * @description Needs a token with the role analyst, or one that holds it.
         */
        get: operations["Alerts_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts/{id}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Says that the caller has taken it up
         * @description Needs a token with the role operator, or one that holds it.
         */
        post: operations["Alerts_acknowledge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audiences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists of users
         * @description Needs a token with the role publisher, or one that holds it.
         */
        get: operations["Lists_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audiences/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A list: its versions, and uploads under way
         * @description Needs a token with the role publisher, or one that holds it.
         */
        get: operations["Lists_get"];
        /**
         * Uploads a list of users
         * @description Needs a token with the role publisher, or one that holds it.
         */
        put: operations["Lists_put"];
        post?: never;
        /**
         * Deletes a list
         * @description Needs a token with the role publisher, or one that holds it.
         */
        delete: operations["Lists_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What people did by hand, newest first
         * @description Needs a token with the role admin, or one that holds it.
         */
        get: operations["Audit_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Campaigns, newest first, oldest first, or by when they begin
         * @description Needs a token with the role publisher or analyst, or one that holds it.
         */
        get: operations["Campaigns_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A campaign with its revisions, its latest occurrences and its newest sends by state
         * @description Needs a token with the role publisher or analyst, or one that holds it.
         */
        get: operations["Campaigns_one"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes members of a campaign: its next revision
         * @description Needs a token with the role publisher, or one that holds it.
         */
        patch: operations["Patch_patch"];
        trace?: never;
    };
    "/v1/campaigns/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approves a campaign: what waits for it is planned again
         * @description Needs a token with the role operator or publisher, or one that holds it.
         */
        post: operations["Approval_approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancels all of a campaign that has not left
         * @description Needs a token with the role operator, or one that holds it.
         */
        post: operations["Acts_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns/{id}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Declines a campaign that awaits approval: nothing of it leaves
         * @description Needs a token with the role operator or publisher, or one that holds it.
         */
        post: operations["Approval_decline"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every change of a campaign
         * @description Needs a token with the role publisher or analyst, or one that holds it.
         */
        get: operations["Campaigns_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns/{id}/occurrences/{occurrence}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancels one occurrence
         * @description Needs a token with the role operator, or one that holds it.
         */
        post: operations["Acts_cancelOccurrence"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns/{id}/occurrences/{occurrence}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pauses one occurrence
         * @description Needs a token with the role operator, or one that holds it.
         */
        post: operations["Acts_pauseOccurrence"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns/{id}/occurrences/{occurrence}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resumes one occurrence
         * @description Needs a token with the role operator, or one that holds it.
         */
        post: operations["Acts_resumeOccurrence"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pauses a campaign: what has not left is held
         * @description Needs a token with the role operator, or one that holds it.
         */
        post: operations["Acts_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns/{id}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Its plan: cells by pages, each with the reason for every decision
         * @description Needs a token with the role publisher or analyst, or one that holds it.
         */
        get: operations["Campaigns_plan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resumes a campaign: what is held is planned again
         * @description Needs a token with the role operator, or one that holds it.
         */
        post: operations["Acts_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns/{id}/revisions/{revision}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A revision of a campaign: its event, what devices get of it, and its difference from the one before
         * @description Needs a token with the role publisher or analyst, or one that holds it.
         */
        get: operations["Campaigns_revision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/campaigns/{id}/sends": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sends of a campaign
         * @description Needs a token with the role publisher or analyst, or one that holds it.
         */
        get: operations["Campaigns_sends"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Channels of a push project
         * @description Needs a token with the role publisher, or one that holds it.
         */
        get: operations["Choices_channels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/erasures/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An erasure: how far it is, and its certificate
         * @description Needs a token with the role admin, or one that holds it.
         */
        get: operations["Erasures_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What became of an event, by its source and id; whether it came over Kafka or HTTP
         * @description Needs a token with the role publisher or operator, or one that holds it.
         */
        get: operations["EventLookUp_find"];
        put?: never;
        /**
         * Takes events of campaigns, one or a batch
         * @description Needs a token with the role publisher, or one that holds it.
         */
        post: operations["Events_take"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/failures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sends that need attention, in groups, the largest first
         * @description Needs a token with the role analyst, or one that holds it.
         */
        get: operations["Failures_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forecast": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Planned load against the rates of projects, and what is expected to be late
         * @description Needs a token with the role analyst, or one that holds it.
         */
        get: operations["Forecast_read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every event and every planned request accounted for
         * @description Needs a token with the role analyst, or one that holds it.
         */
        get: operations["Reports_ledger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Plans without sending: the dry run
         * @description Needs a token with the role publisher, or one that holds it.
         */
        post: operations["Plans_make"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/{hash}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Further cells of a dry run
         * @description Needs a token with the role publisher, or one that holds it.
         */
        get: operations["Plans_read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Push projects
         * @description Needs a token with the role operator, or one that holds it.
         */
        get: operations["Projects_list"];
        put?: never;
        /**
         * Makes a push project
         * @description Needs a token with the role admin, or one that holds it.
         */
        post: operations["Projects_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A push project
         * @description Needs a token with the role operator, or one that holds it.
         */
        get: operations["Projects_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes settings of a push project
         * @description Needs a token with the role admin, or one that holds it.
         */
        patch: operations["Projects_patch"];
        trace?: never;
    };
    "/v1/projects/{id}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Checks whether its gateway can be used
         * @description Needs a token with the role operator, or one that holds it.
         */
        post: operations["Projects_checkGateway"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Gives a project a key, which is tried first
         * @description Needs a token with the role admin, or one that holds it.
         */
        post: operations["Projects_addKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{id}/keys/{accessKey}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Removes a key
         * @description Needs a token with the role admin, or one that holds it.
         */
        delete: operations["Projects_removeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Starts a project, and ends what blocks it
         * @description Needs a token with the role operator, or one that holds it.
         */
        post: operations["Stop_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stops a project: nothing is sent for it
         * @description Needs a token with the role operator, or one that holds it.
         */
        post: operations["Stop_stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recipients/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Deletes a user’s id wherever it is kept
         * @description Needs a token with the role admin, or one that holds it.
         */
        delete: operations["Erasures_erase"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recipients/drift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Users whose clock the directory and the push service tell differently
         * @description Needs a token with the role analyst, or one that holds it.
         */
        get: operations["Zones_drift"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recipients/zones": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Puts zones of users into the directory
         * @description Needs a token with the role publisher, or one that holds it.
         */
        put: operations["Zones_put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rejections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events that were refused, newest first
         * @description Needs a token with the role publisher or operator, or one that holds it.
         */
        get: operations["Rejections_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rejections/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A rejection, for operators with its bytes
         * @description Needs a token with the role publisher or operator, or one that holds it.
         */
        get: operations["Rejections_one"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rejections/{id}/body": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The bytes of its event, as they came
         * @description Needs a token with the role operator, or one that holds it.
         */
        get: operations["Rejections_body"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rejections/{id}/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Closes a rejection without a replay
         * @description Needs a token with the role operator, or one that holds it.
         */
        post: operations["Rejections_discard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rejections/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Gives its event to the intake again, unchanged or edited
         * @description Needs a token with the role operator, or one that holds it.
         */
        post: operations["Rejections_replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/campaigns/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A campaign's report, also as CSV
         * @description Needs a token with the role analyst, or one that holds it.
         */
        get: operations["Reports_campaign"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/lateness": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How late sends were, and how long they were deferred, by one or two keys, also as CSV
         * @description Needs a token with the role analyst, or one that holds it.
         */
        get: operations["Summaries_lateness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sends and devices by one or two keys, also as CSV
         * @description Needs a token with the role analyst, or one that holds it.
         */
        get: operations["Summaries_summary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resolves": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Previews and resolves of many sends, newest first
         * @description Needs a token with the role operator, or one that holds it.
         */
        get: operations["Resolves_list"];
        put?: never;
        /**
         * Resolves exactly the previewed set
         * @description Needs a token with the role operator, or one that holds it.
         */
        post: operations["Resolves_confirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resolves/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How far a preview or its resolves have come
         * @description Needs a token with the role operator, or one that holds it.
         */
        get: operations["Resolves_read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resolves/{token}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sends that wait in a set for their resolution
         * @description Needs a token with the role operator, or one that holds it.
         */
        get: operations["Resolves_items"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resolves/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What resolving all uncertain sends of a filter would come to
         * @description Needs a token with the role operator, or one that holds it.
         */
        post: operations["Resolves_preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/retries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Previews and retries of many sends, newest first
         * @description Needs a token with the role operator, or one that holds it.
         */
        get: operations["Retries_list"];
        put?: never;
        /**
         * Retries exactly the previewed set
         * @description Needs a token with the role operator, or one that holds it.
         */
        post: operations["Retries_confirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/retries/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How far a preview or its retries have come
         * @description Needs a token with the role operator, or one that holds it.
         */
        get: operations["Retries_read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/retries/{token}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sends that wait in a set, for the question what became of them or for their retry
         * @description Needs a token with the role operator, or one that holds it.
         */
        get: operations["Retries_items"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/retries/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What retrying all sends of a filter would come to
         * @description Needs a token with the role operator, or one that holds it.
         */
        post: operations["Retries_preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Schedules of a push project
         * @description Needs a token with the role publisher, or one that holds it.
         */
        get: operations["Choices_schedules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Finds what an id or a name belongs to
         * @description Needs a token with the role publisher or analyst or operator or admin, or one that holds it.
         */
        get: operations["Search_search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sends": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sends, oldest first or newest first
         * @description Needs a token with the role publisher or analyst, or one that holds it.
         */
        get: operations["Sends_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sends/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A send with its history
         * @description Needs a token with the role publisher or analyst, or one that holds it.
         */
        get: operations["Sends_one"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sends/{id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The calls made for a send
         * @description Needs a token with the role publisher or analyst, or one that holds it.
         */
        get: operations["Sends_attempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sends/{id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Says what became of an uncertain send
         * @description Needs a token with the role operator, or one that holds it.
         */
        post: operations["OperateSends_resolve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sends/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retries a send that ended badly
         * @description Needs a token with the role operator, or one that holds it.
         */
        post: operations["OperateSends_retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Push projects, as far as somebody who writes a campaign needs them
         * @description Needs a token with the role publisher or analyst or operator or admin, or one that holds it.
         */
        get: operations["Choices_services"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who is signed in, and what the server is
         * @description Needs a token with the role publisher or analyst or operator or admin, or one that holds it.
         */
        get: operations["Session_show"];
        put?: never;
        /** Signs in: sets the cookie of a session */
        post: operations["Session_begin"];
        /**
         * Signs out
         * @description Needs a token with the role publisher or analyst or operator or admin, or one that holds it.
         */
        delete: operations["Session_end"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Starts all projects that the token holds
         * @description Needs a token with the role operator, or one that holds it.
         */
        post: operations["Stop_startAll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether all is well, and what needs a person
         * @description Needs a token with the role analyst, or one that holds it.
         */
        get: operations["Status_read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stops all projects that the token holds
         * @description Needs a token with the role operator, or one that holds it.
         */
        post: operations["Stop_stopAll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What changes, as server-sent events
         * @description Needs a token with the role publisher or analyst or operator or admin, or one that holds it.
         */
        get: operations["Stream_open"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tokens
         * @description Needs a token with the role admin, or one that holds it.
         */
        get: operations["Tokens_list"];
        put?: never;
        /**
         * Makes a token
         * @description Needs a token with the role admin, or one that holds it.
         */
        post: operations["Tokens_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revokes a token
         * @description Needs a token with the role admin, or one that holds it.
         */
        delete: operations["Tokens_revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whom alerts are posted to
         * @description Needs a token with the role admin, or one that holds it.
         */
        get: operations["Webhooks_list"];
        put?: never;
        /**
         * Makes a webhook
         * @description Needs a token with the role admin, or one that holds it.
         */
        post: operations["Webhooks_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Removes a webhook and what it was still to be told
         * @description Needs a token with the role admin, or one that holds it.
         */
        delete: operations["Webhooks_remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Tries a webhook
         * @description Needs a token with the role admin, or one that holds it.
         */
        post: operations["Webhooks_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/zones": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The zones that a campaign may name, with their offsets now
         * @description Needs a token with the role publisher or analyst or operator or admin, or one that holds it.
         */
        get: operations["Choices_zones"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ActOnCampaign: {
            /** @enum {string} */
            act: "cancel" | "pause" | "resume" | "approve" | "revise" | "recall" | "start";
            /** Format: date-time */
            at: string;
            by: string;
            /** @description All of its sends were looked at; a resume, an approval or a revision that is done is not listed */
            isDone: boolean;
            /** @description Sends not looked at yet. None of them leaves during a cancel or a pause; of a revision, the requests that it has yet to change */
            left: number;
            /** @description Sends moved so far, or on their way to it */
            moved: number;
            /** @description null: all of the campaign */
            occurrence: string | null;
            reason: string | null;
        };
        ActPreview: {
            /** @description Sends that the push service holds, and is asked to give back */
            askedOfPushService: number;
            /** @description Sends that it moves at once: those that have not left */
            atOnce: number;
            /** @description When the first of the sends that it moves is due; null: it moves none */
            firstDueAt: string | null;
            /** @description Sends whose answer is awaited: it decides */
            inFlight: number;
            /** @description Of a resume or an approval: sends whose time has passed, by what their policy does with them */
            late: {
                /** @description Past what its lateness allows: it ends as expired */
                expire: number;
                /** @description Goes out late */
                send: number;
            };
            /** @description Sends that are gone, and stay as they are */
            tooLate: number;
        };
        ActTaken: {
            /** @enum {string} */
            act: "cancel" | "pause" | "resume" | "approve" | "decline";
            campaignId: string;
            /** @description false: it stood so before, or this is a preview */
            changed: boolean;
            /** Format: uuid */
            id: string;
            /** @description Only where the act was for one occurrence; state is then its own, null where it is not planned yet */
            occurrence?: string;
            /** @description Whether all of the campaign is paused */
            paused: boolean;
            /** @description Only with preview=true: what the act would do now; nothing is changed */
            preview: components["schemas"]["ActPreview"] | null;
            state: string | null;
        };
        Alert: {
            /** @description Who has taken it up; it ends only with its cause */
            acknowledged: {
                /** Format: date-time */
                at: string;
                by: string;
            } | null;
            /** @enum {string} */
            cause: "FAILURES" | "UNCERTAIN" | "LATE" | "QUOTA" | "BLOCKED" | "KEY_REFUSED" | "CIRCUIT" | "GATEWAY_UNREACHABLE" | "STOPPED" | "REJECTIONS" | "DAYS_AHEAD" | "DISK" | "CLOCK" | "REPLICA_UNHEARD" | "BACKLOG" | "CREDENTIAL_MISSING" | "DEADLINE_AHEAD" | "LEDGER_OUT_OF_BALANCE" | "ZONE_RULES_OLD";
            /** @description What was found */
            detail: string;
            /** @description null: it is open */
            endedAt: string | null;
            /** @description In `unit` */
            figure: number | null;
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            lastSeenAt: string;
            nextStep: string;
            /** @description The page and heading that say more */
            runbook: string;
            /** @description null: the whole installation */
            serviceId: string | null;
            /**
             * @description note: nobody has to act; warning: act today; critical: messages do not leave
             * @enum {string}
             */
            severity: "note" | "warning" | "critical";
            /**
             * Format: date-time
             * @description When it was found first
             */
            since: string;
            /** @description What the cause means */
            text: string;
            unit: string;
            /** @description The worst figure so far, in `unit` */
            worst: number | null;
        };
        Attempt: {
            /** @description The first characters of the answer */
            answer: string | null;
            attempt: number;
            /** @description null while it runs, and always if its process died during the call */
            endedAt: string | null;
            errorCode: string | null;
            httpStatus: number | null;
            kind: string;
            outcome: string | null;
            requestSent: boolean | null;
            /** Format: date-time */
            startedAt: string;
        };
        Attention: {
            code: string;
            text: string;
        };
        /**
         * @example {
         *       "type": "CHANNEL",
         *       "to": [
         *         "vip"
         *       ]
         *     }
         */
        Audience: {
            /** @description Only devices registered for these countries: ISO 3166-1 alpha-2 */
            country?: string[] | null;
            /** @description Only devices of this type: GCM is Android and the web */
            deviceType?: ("GCM" | "APNS") | null;
            /** @description Of USER, in place of to: the name of an uploaded list (lists.md); it is the whole audience, without segments */
            list?: string | null;
            /** @description For CHANNEL the channel names, at most 1000; for USER the user ids, each of at most 128 characters, at most 50000 over the audience and all segments */
            to?: string[] | null;
            /**
             * @description Everybody, the users of channels, or users
             * @enum {string}
             */
            type: "ALL" | "CHANNEL" | "USER";
        };
        AuditRow: {
            /** @description What was done, as noun.verb */
            action: string;
            after: unknown;
            /** Format: date-time */
            at: string;
            before: unknown;
            /** Format: uuid */
            id: string;
            serviceId: string | null;
            /** @description The id of what it was done to */
            target: string;
            who: string;
        };
        Campaign: {
            /** @description Why somebody should look at the campaign: it was rejected, nobody got it, or sends did not go out; null: nobody has to */
            attention: components["schemas"]["Attention"] | null;
            /** @description The publisher's, unique within the serviceId */
            campaignId: string;
            /** @description Why it is in this state, if there is a reason to give */
            code: string | null;
            /** Format: date-time */
            createdAt: string;
            detail: string | null;
            /**
             * Format: uuid
             * @description Ours
             */
            id: string;
            name: string | null;
            /** @description When the next of its cells is due; null: nothing is planned for later */
            nextDueAt: string | null;
            paused: boolean;
            revision: number;
            /** @description The newest send of every chunk, counted by state */
            sends: {
                [key: string]: number;
            };
            /** @description In a list: the campaign has more sends than are counted for it, so there may be more of each state */
            sendsAtLeast: boolean;
            serviceId: string;
            state: components["schemas"]["CampaignState"];
            /** Format: date-time */
            stateAt: string;
            /** @description Who or what brought it there */
            stateBy: string;
        };
        /**
         * @description A JSON merge patch (RFC 7396) of the data of a scheduled event: members in it take the place of the campaign’s, null takes one away
         * @example {
         *       "message": {
         *         "default": {
         *           "content": "Our sale begins at ten"
         *         }
         *       }
         *     }
         */
        CampaignPatch: {
            [key: string]: unknown;
        };
        CampaignPatched: {
            campaignId: string;
            /** @description false: the campaign says so already, or this is a preview */
            changed: boolean;
            /** Format: uuid */
            id: string;
            /** @description The revision that the patch was applied to */
            patched: number;
            /** @description Only with preview=true: what the revision would do now; nothing is changed */
            preview: components["schemas"]["RevisionPreview"] | null;
            /** @description The revision that it made, which is planned next; null: none, because nothing changes, or this is a preview */
            revision: number | null;
        };
        CampaignReport: {
            /** Format: date-time */
            asOf: string;
            balanced: boolean;
            campaign: {
                /** @description The publisher's, unique within the serviceId */
                campaignId: string;
                /**
                 * Format: uuid
                 * @description Ours
                 */
                id: string;
                name: string | null;
                revision: number;
                serviceId: string;
                state: components["schemas"]["CampaignState"];
            };
            /** @description The campaign has ended and no figure changes any more by itself */
            final: boolean;
            /** @description Of the whole campaign; null where the report is of one occurrence */
            funnel: components["schemas"]["FunnelStage"][] | null;
            rows: components["schemas"]["ReportRow"][];
            /** @description Occurrences that planning left out; one that could not be planned (PLANNING_FAILED) has no rows */
            skipped: {
                /**
                 * Format: date-time
                 * @description When planning left it out
                 */
                at: string;
                code: string | null;
                occurrence: string;
            }[];
            /** @description What its standing messages had come to at the end of each UTC day, cumulative */
            standing: components["schemas"]["StandingDay"][];
            totals: components["schemas"]["ReportTotals"];
        };
        /** @enum {string} */
        CampaignState: "accepted" | "planning" | "awaiting-approval" | "planned" | "running" | "canceling" | "completed" | "expired" | "canceled" | "rejected";
        CampaignWithRevisions: {
            /** @description The cancels and pauses in force, and what is under way, of the campaign first and then of its occurrences; at most 100 */
            acts: components["schemas"]["ActOnCampaign"][];
            /** @description Why somebody should look at the campaign: it was rejected, nobody got it, or sends did not go out; null: nobody has to */
            attention: components["schemas"]["Attention"] | null;
            /** @description The publisher's, unique within the serviceId */
            campaignId: string;
            /** @description Why it is in this state, if there is a reason to give */
            code: string | null;
            /** Format: date-time */
            createdAt: string;
            detail: string | null;
            /**
             * Format: uuid
             * @description Ours
             */
            id: string;
            name: string | null;
            /** @description When the next of its cells is due; null: nothing is planned for later */
            nextDueAt: string | null;
            /** @description The latest 100; the plan pages through all */
            occurrences: components["schemas"]["Occurrence"][];
            paused: boolean;
            revision: number;
            revisions: components["schemas"]["Revision"][];
            /** @description The newest send of every chunk, counted by state */
            sends: {
                [key: string]: number;
            };
            /** @description In a list: the campaign has more sends than are counted for it, so there may be more of each state */
            sendsAtLeast: boolean;
            serviceId: string;
            state: components["schemas"]["CampaignState"];
            /** Format: date-time */
            stateAt: string;
            /** @description Who or what brought it there */
            stateBy: string;
            waitingFor: {
                /** @description How many of them go by the fallback: beyond lookupMax, or given up; null for a list, whose ids are not counted so */
                byFallback: number | null;
                /** @description Rounds in a row without a complete answer; it is tried again until `until` */
                failedRounds: number;
                /** @description userIds whose zone nobody gave, of a list those without a zone in it; null for OFFSET_COUNTS and NAMES */
                ids: number | null;
                /** @description How many of them have an answer of the push service, a new one or one that still counts */
                lookedUp: number | null;
                /**
                 * Format: date-time
                 * @description Since when it waits
                 */
                since: string;
                /** @description How many of them it will still be asked about */
                toLookUp: number | null;
                /**
                 * Format: date-time
                 * @description When it is planned at the latest, with whatever is known by then
                 */
                until: string;
                /**
                 * @description USER_OFFSETS: the registered offset of each userId without a zone; OFFSET_COUNTS: how many users each offset has; NAMES: whether the push service knows the channels and the schedule that the campaign names
                 * @enum {string}
                 */
                what: "USER_OFFSETS" | "OFFSET_COUNTS" | "NAMES";
            } | null;
        };
        CanceledEvent: {
            data: components["schemas"]["CommandData"];
            /** @description A JSON media type */
            datacontenttype?: string | null;
            /**
             * @description With source and serviceId the idempotency key, for 30 days
             * @example spring-sale-1
             */
            id: string;
            /**
             * @description A URI reference; the project names the sources that it takes from Kafka
             * @example /shop/promotions
             */
            source: string;
            /** @constant */
            specversion: "1.0";
            /**
             * @description The campaignId, unique within the serviceId: 1 to 128 of A–Z a–z 0–9 . _ : -
             * @example spring-sale-2027
             */
            subject: string;
            /**
             * @description When the event was made, with its offset. Refused if it is more than 30 days ago or five minutes ahead, or not after the newest event taken for the campaign (SUPERSEDED); a stricter act may be up to a minute older. See Order of acts
             * @example 2027-03-01T00:00:00Z
             */
            time: string;
            /**
             * @description The trace that the event belongs to, as in W3C Trace Context; an invalid one counts as none, with a warning
             * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
             */
            traceparent?: string;
            /**
             * @description What tracing systems add to the trace; 512 characters are kept
             * @example congo=t61rcWkgMzE
             */
            tracestate?: string;
            /** @constant */
            type: "carillon.campaign.canceled.v1";
        } & {
            [key: string]: unknown;
        };
        Change: {
            /** Format: date-time */
            at: string;
            by: string;
            code: string | null;
            detail: string | null;
            from: string | null;
            /** @description Rises with every change, with gaps */
            sequence: number;
            to: string;
        };
        /**
         * @example {
         *       "serviceId": "shop-app",
         *       "reason": "the price is wrong"
         *     }
         */
        CommandData: {
            /** @description Only this occurrence of a recurrence */
            occurrence?: string | null;
            /** @description Shown to people */
            reason?: string | null;
            /**
             * @description The push project
             * @example shop-app
             */
            serviceId: string;
        };
        ComparedLatenessRow: {
            /** @description dueAt - intendedAt where that is more than 0: a decision, no lateness */
            deferral: components["schemas"]["Lengths"];
            /** @description From dueAt until the 202 was received, of sends at once */
            immediate: components["schemas"]["Lengths"];
            /** @description The value of each key of groupBy; null: there is none, as a standing message has no due */
            key: {
                [key: string]: string | null;
            };
            /** @description From the first due until a retry got through */
            recovered: components["schemas"]["Lengths"];
            /** @description From dueAt until completeTime, of reservations */
            reserved: components["schemas"]["Lengths"];
        };
        ComparedLatenessTotals: {
            /** @description dueAt - intendedAt where that is more than 0: a decision, no lateness */
            deferral: components["schemas"]["Lengths"];
            /** @description From dueAt until the 202 was received, of sends at once */
            immediate: components["schemas"]["Lengths"];
            /** @description From the first due until a retry got through */
            recovered: components["schemas"]["Lengths"];
            /** @description From dueAt until completeTime, of reservations */
            reserved: components["schemas"]["Lengths"];
        };
        ComparedSummaryRow: {
            /** @description Both sides of devices and of sends agree */
            balanced: boolean;
            /** @description pending: no final result yet; unknown: the send is uncertain */
            devices: {
                [key: string]: number;
            };
            /** @description All of its sends have ended */
            final: boolean;
            /** @description The value of each key of groupBy; null: there is none, as a standing message has no due */
            key: {
                [key: string]: string | null;
            };
            /** @description Why sends did not end as sent: left out, expired, failed, nobody to send to; the most frequent first */
            reasons: {
                code: string | null;
                sends: number;
                /** @enum {string} */
                state: "planned" | "sending" | "accepted" | "reserved" | "scheduled" | "canceling" | "held" | "uncertain" | "sent" | "failed" | "empty" | "stale" | "rejected" | "canceled" | "expired" | "skipped" | "superseded";
            }[];
            /** @description Where groupBy names deviceType, country or language, or reported=true */
            reported?: components["schemas"]["Reported"];
            /** @description planned: the requests; each counts as one of the other terms */
            sends: {
                [key: string]: number;
            };
            /** @description Devices that a provider took, of those targeted */
            sentRate: components["schemas"]["Rate"];
        };
        ComparedSummaryTotals: {
            /** @description Both sides of devices and of sends agree */
            balanced: boolean;
            /** @description pending: no final result yet; unknown: the send is uncertain */
            devices: {
                [key: string]: number;
            };
            /** @description All of its sends have ended */
            final: boolean;
            /** @description Why sends did not end as sent: left out, expired, failed, nobody to send to; the most frequent first */
            reasons: {
                code: string | null;
                sends: number;
                /** @enum {string} */
                state: "planned" | "sending" | "accepted" | "reserved" | "scheduled" | "canceling" | "held" | "uncertain" | "sent" | "failed" | "empty" | "stale" | "rejected" | "canceled" | "expired" | "skipped" | "superseded";
            }[];
            /** @description Where groupBy names deviceType, country or language, or reported=true */
            reported?: components["schemas"]["Reported"];
            /** @description planned: the requests; each counts as one of the other terms */
            sends: {
                [key: string]: number;
            };
            /** @description Devices that a provider took, of those targeted */
            sentRate: components["schemas"]["Rate"];
        };
        /**
         * @example {
         *       "content": "Our spring sale begins"
         *     }
         */
        Content: {
            /** @description The text */
            content?: string | null;
            /** @description Handed to the app as it is; any members */
            custom?: {
                [key: string]: unknown;
            } | null;
            /** @description The text by language: default, an ISO 639-1 code, zh-Hans or zh-Hant */
            i18n?: {
                [key: string]: {
                    /** @example Our spring sale begins */
                    content: string;
                };
            } | null;
            /** @description What the push service maps to FCM and APNs; any members */
            option?: {
                [key: string]: unknown;
            } | null;
        };
        Counted: {
            /** @description There may be more */
            atLeast: boolean;
            value: number;
        };
        DeletedList: {
            /** @description Open campaigns that go to one of them, which stays until seven days after their end */
            keptBy: number;
            /** @example vip-2027 */
            name: string;
            serviceId: string;
            /** @description Versions and uploads of it */
            versions: number;
        };
        /**
         * @example {
         *       "at": "2027-03-01T09:00",
         *       "zone": "recipient"
         *     }
         */
        Delivery: {
            /** @description An instant with its offset or Z, or a wall time with a zone beside it */
            at?: string | null;
            /** @description As soon as possible */
            now?: true | null;
            /** @description An RFC 5545 RRULE, on the wall clock of the zone */
            recurrence?: string | null;
            /** @description Attached to a schedule that the push service keeps */
            scheduleCode?: string | null;
            /** @description With zone recipient: the recipients whose zone the publisher knows */
            segments?: components["schemas"]["Segment"][] | null;
            /** @description When a message attached to a schedule ends */
            until?: string | null;
            /** @description The clock that a wall time is on: an IANA zone, or recipient */
            zone?: string | null;
        };
        DryRun: {
            cells: number;
            /** Format: date-time */
            expiresAt: string;
            items: components["schemas"]["PreviewedCell"][];
            load: {
                /** @description Requests that the project's rate moves to after this minute */
                backlog: number;
                /** Format: date-time */
                minute: string;
                requests: number;
            }[];
            /** @description What the devices of each type and language get */
            messages: {
                /** @description Of the request to the provider, without the token of the device */
                bytes: number;
                /** @enum {string} */
                deviceType: "GCM" | "APNS";
                /** @description Where the text stands in the data of the event; null: there is none */
                from: string | null;
                isTooLarge: boolean;
                /** @description null: every language without a text of its own */
                language: string | null;
                option: {
                    [key: string]: unknown;
                };
                text: string;
                title: string | null;
            }[];
            /** @description There are more than 100 */
            moreMessages: boolean;
            /** @description Where the next page begins; null on the last */
            nextCursor: string | null;
            /**
             * Format: date-time
             * @description When the occurrences after these are planned
             */
            nextLookAt?: string;
            /** @description An event that names it runs exactly this plan, or is refused */
            planHash: string;
            policy: components["schemas"]["ShownPolicy"];
            /** @description Why the campaign cannot be planned at all */
            refusal: components["schemas"]["PlanProblem"] | null;
            /** @description Only with campaign=…: what it would do as the next revision */
            revision: components["schemas"]["RevisionPreview"] | null;
            serviceId: string;
            totals: {
                cells: number;
                duplicates: number;
                expectedEndAt: string | null;
                expiredRequests: number;
                fallbackRecipients: number | null;
                firstDueAt: string | null;
                invalidZones: {
                    [key: string]: number;
                };
                lastDueAt: string | null;
                /** @description Ids in the fallback zone because their offset was not looked up */
                provisional: number;
                /** @description null where an audience is not made of ids */
                recipients: number | null;
                requests: number;
                skippedRequests: number;
            };
            tzdata: {
                source: string;
                version: string;
            };
            warnings: components["schemas"]["PlanProblem"][];
        };
        Erasure: {
            /** Format: date-time */
            askedAt: string;
            askedBy: string;
            doneAt: string | null;
            /** Format: uuid */
            id: string;
            /** @description Where else the id may be, and what deletes it there */
            notHere: string[];
            /** @description All places are searched again until a pass finds nothing */
            pass: number;
            /** @description The tables in which the id was, and from how many rows it was taken */
            removed: {
                rows: number;
                table: string;
            }[];
            serviceId: string;
            /** @enum {string} */
            state: "running" | "done";
            /** @description Names the user here and in the audit log: HMAC-SHA-256 of the id */
            userHash: string;
            /** @description Rows that still have the id, because a request or a planning under way needs them */
            waits: number;
        };
        EventVerdict: {
            /**
             * Format: uuid
             * @description Our id of the campaign
             */
            campaignId: string;
            /**
             * Format: uuid
             * @description Our id of the event
             */
            eventId: string;
            id: string | null;
            /** @description The place of the event in the batch, from 0 */
            index: number;
            source: string | null;
            /** @constant */
            verdict: "accepted";
            /** @description Those of a dry run that looked nothing up; null: no dry run was made, but the plan will have its warnings */
            warnings: components["schemas"]["PlanProblem"][] | null;
        } | {
            campaignId: string | null;
            /**
             * Format: uuid
             * @description The eventId of the first arrival
             */
            duplicateOf: string;
            /**
             * Format: uuid
             * @description Our id of the event
             */
            eventId: string;
            id: string | null;
            /** @description The place of the event in the batch, from 0 */
            index: number;
            source: string | null;
            /** @constant */
            verdict: "duplicate";
        } | {
            /**
             * Format: uuid
             * @description Our id of the event
             */
            eventId: string;
            id: string | null;
            /** @description The place of the event in the batch, from 0 */
            index: number;
            problems: components["schemas"]["Reason"][];
            /** Format: uuid */
            rejectionId: string;
            source: string | null;
            /** @constant */
            verdict: "rejected";
        } | {
            campaignId: null;
            /**
             * Format: uuid
             * @description Our id of the event
             */
            eventId: string;
            id: string | null;
            /** @description The place of the event in the batch, from 0 */
            index: number;
            source: string | null;
            /**
             * Format: date-time
             * @description When it becomes a rejection, unless its campaign has come
             */
            until: string;
            /**
             * @description A command that waits for its campaign, which has not come yet
             * @constant
             */
            verdict: "parked";
        };
        EventVerdicts: {
            events: components["schemas"]["EventVerdict"][];
        };
        FailureGroup: {
            /**
             * Format: uuid
             * @description Our id, where groups are by it
             */
            campaign?: string;
            /** @description The publisher's, where groups are by it */
            campaignId?: string | null;
            /** @description where groups are by it */
            code?: string | null;
            /** @description The query with which GET /v1/sends finds exactly these */
            filter: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description When the first of them came to this state
             */
            firstAt: string;
            /** @description Of the newest attempt's answer, where groups are by it */
            httpStatus?: number | null;
            /** Format: date-time */
            lastAt: string;
            /**
             * @description where groups are by it
             * @enum {string}
             */
            mode?: "immediate" | "reserved" | "scheduled";
            /** @description Its serviceId, where groups are by it */
            project?: string;
            /** @description Whether sends of this state may be retried */
            retryable: boolean;
            sends: number;
            /** @enum {string} */
            state: "uncertain" | "failed" | "stale" | "rejected" | "expired";
            /** @description where groups are by it */
            zone?: string | null;
        };
        Failures: {
            /** Format: date-time */
            asOf: string;
            items: components["schemas"]["FailureGroup"][];
            /** @description Where the next page begins; null on the last */
            nextCursor: string | null;
            /** @description The sends of all groups. Only some 10 000 of the newest are grouped, so there may be more */
            sends: components["schemas"]["Counted"];
        };
        Forecast: {
            /** Format: date-time */
            asOf: string;
            /** @enum {string} */
            by: "zone" | "project" | "campaign";
            /** @description There is more load than a forecast reads: only what is handed off before it is counted */
            coveredTo: string | null;
            /** Format: date-time */
            from: string;
            /** @description Those that miss a bound, the worst first; at most 100 */
            late: components["schemas"]["LateCampaign"][];
            /** @description How many there are */
            lateCampaigns: number;
            projects: {
                /** @description Nothing leaves now; the forecast is as if it did */
                blocked: string | null;
                drainedAt: string | null;
                lateMs: number;
                /** @description Campaigns with later occurrences before `to` that nobody has planned yet */
                notPlannedYet: number;
                ratePerSecond: number;
                /** @description Those that are handed off before `to` */
                requests: number;
                serviceId: string;
            }[];
            /** @enum {string} */
            step: "minute" | "hour";
            /** @description Steps without load are left out */
            steps: {
                /** Format: date-time */
                at: string;
                /** @description By project: how many wait at the end of the step */
                backlog: number | null;
                campaignId: string | null;
                /** @description A zone, a serviceId, or our id of a campaign */
                key: string;
                /** @description Of the latest of them */
                lateMs: number;
                requests: number;
            }[];
            /** Format: date-time */
            to: string;
        };
        FunnelLoss: {
            /** @description In the unit of the stage; null: nobody counts them */
            count: number | null;
            /** @description A code of the scheduler or of the push service */
            reason: string;
            /** @description Where the loss is of whole requests */
            requests: number | null;
            /** @description The path of the list of these sends */
            sends: string;
        };
        FunnelStage: {
            /** @description How many are left for sure; null: nobody counts them */
            count: number | null;
            /** @description The most frequent reason first */
            lost: components["schemas"]["FunnelLoss"][];
            /** @description Left or lost, nobody can say which; null: nobody can say how many either, and `count` is the least. It is 0 only where everything was told */
            notTold: number | null;
            /** @description How many come into the stage */
            of: number | null;
            /** @description Not decided yet; null: nobody can say how many */
            pending: number | null;
            /**
             * @description given: the ids that the audience names. requested: in requests that the push service took. known: registered there, with a device. consent: devices whose owner agreed. targeted: devices that it was to go to. taken: devices that a provider took
             * @enum {string}
             */
            stage: "given" | "requested" | "known" | "consent" | "targeted" | "taken";
            /** @enum {string} */
            unit: "ids" | "devices";
        };
        GatewayNames: {
            /** @description There is a further page */
            hasMore: boolean;
            items: {
                description: string | null;
                name: string;
            }[];
            /** @description Why the push service did not answer, as a code: then these are names that planning has seen lately; NO_LIST: it has no such list */
            lack: string | null;
        };
        GatewayReport: {
            checks: {
                /** @enum {string} */
                name: "reachability" | "signature" | "clock" | "tls" | "extensions";
                ok: boolean;
                /** @description What was seen, or what to do */
                text: string;
            }[];
            ok: boolean;
        };
        JudgedEvent: {
            id: string | null;
            /** @description The place of the event in the batch, from 0 */
            index: number;
            problems: components["schemas"]["Reason"][];
            source: string | null;
            /**
             * @description What would become of it now
             * @enum {string}
             */
            verdict: "accepted" | "duplicate" | "rejected" | "parked";
        };
        JudgedEvents: {
            judged: components["schemas"]["JudgedEvent"][];
        };
        LateCampaign: {
            /**
             * @description lateness.then
             * @enum {string}
             */
            beyond: "expire" | "send";
            /** @description Our id; of the plan of `with` its hash */
            campaign: string;
            campaignId: string | null;
            /** Format: date-time */
            dueAt: string;
            /**
             * Format: date-time
             * @description When its last request leaves
             */
            lastLeavesAt: string;
            lateMs: number;
            /** @description lateness.max */
            maxLateMs: number;
            missesDeadline: {
                /** @description By how much the last of them is beyond the bound */
                byMs: number;
                /** @description At most so many */
                requests: number;
            } | null;
            missesLateness: {
                /** @description By how much the last of them is beyond the bound */
                byMs: number;
                /** @description At most so many */
                requests: number;
            } | null;
            name: string | null;
            occurrence: string;
            requests: number;
            serviceId: string;
            /** @description Each is enough on its own; null: it is no way out */
            waysOut: {
                /** @description Over how many minutes its zones would have to be spread */
                jitterMinutes: number | null;
                /** @description The highest pace that fits beside the other load, and how long it takes */
                pace: {
                    minutes: number;
                    perMinute: number;
                } | null;
                /** @description The least rate of the project that keeps all bounds */
                ratePerSecond: number | null;
            };
        };
        LatenessReport: {
            /** Format: date-time */
            asOf: string;
            /** @description The other side, where compareWith asks for it */
            comparison?: {
                /** @description The other campaign, where it is known */
                campaign: {
                    campaignId: string;
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                    serviceId: string;
                } | null;
                /** @description Due at or after it … */
                from: string | null;
                /** @description … and before it, on the other side */
                to: string | null;
                with: "week-before" | string;
            };
            groupBy: ("minute" | "hour" | "day" | "localHour" | "zone" | "country" | "deviceType" | "language" | "mode" | "project" | "campaign" | "code")[];
            nextCursor: string | null;
            rows: components["schemas"]["LatenessRow"][];
            /** @description The totals of all rows, not only of those on the page */
            totals: components["schemas"]["LatenessTotals"];
        };
        LatenessRow: {
            /** @description Only where groupBy names campaign, whose key is our id */
            campaign?: {
                campaignId: string;
                name: string | null;
            };
            /** @description The other side, where compareWith asks for it; null: notCompared says why */
            compared?: components["schemas"]["ComparedLatenessRow"] | null;
            /** @description dueAt - intendedAt where that is more than 0: a decision, no lateness */
            deferral: components["schemas"]["Lengths"];
            /** @description From dueAt until the 202 was received, of sends at once */
            immediate: components["schemas"]["Lengths"];
            /** @description The value of each key of groupBy; null: there is none, as a standing message has no due */
            key: {
                [key: string]: string | null;
            };
            /** @description Why there is no other side: it is no longer kept, it is kept only in sums over longer times, or the campaign is not known (any more) */
            notCompared?: ("PAST_RETENTION" | "KEPT_COARSER" | "NO_SUCH_CAMPAIGN") | null;
            /** @description From the first due until a retry got through */
            recovered: components["schemas"]["Lengths"];
            /** @description From dueAt until completeTime, of reservations */
            reserved: components["schemas"]["Lengths"];
        };
        LatenessTotals: {
            /** @description The other side, where compareWith asks for it; null: notCompared says why */
            compared?: components["schemas"]["ComparedLatenessTotals"] | null;
            /** @description dueAt - intendedAt where that is more than 0: a decision, no lateness */
            deferral: components["schemas"]["Lengths"];
            /** @description From dueAt until the 202 was received, of sends at once */
            immediate: components["schemas"]["Lengths"];
            /** @description Why there is no other side: it is no longer kept, it is kept only in sums over longer times, or the campaign is not known (any more) */
            notCompared?: ("PAST_RETENTION" | "KEPT_COARSER" | "NO_SUCH_CAMPAIGN") | null;
            /** @description From the first due until a retry got through */
            recovered: components["schemas"]["Lengths"];
            /** @description From dueAt until completeTime, of reservations */
            reserved: components["schemas"]["Lengths"];
        };
        LedgerAnswer: {
            /** Format: date-time */
            asOf: string;
            /** @description Both sides of every line agree, and nothing is missing */
            balanced: boolean;
            /** @description Devices targeted by the newest sends, tests left out */
            devices: {
                balanced: boolean;
                /** @description How many of them are gone with their day, and are counted by their sums */
                gone: number;
                left: number;
                right: {
                    [key: string]: number;
                };
                /** @description The terms of the right, added up */
                sum: number;
            };
            events: {
                balanced: boolean;
                /** @description How many of them are gone with their day, and are counted by their sums */
                gone: number;
                left: number;
                right: {
                    [key: string]: number;
                };
                /** @description The terms of the right, added up */
                sum: number;
            };
            missing: components["schemas"]["Missing"][];
            planned: {
                balanced: boolean;
                /** @description How many of them are gone with their day, and are counted by their sums */
                gone: number;
                left: number;
                right: {
                    [key: string]: number;
                };
                /** @description The terms of the right, added up */
                sum: number;
            };
            /** @description Sends to testTo, which take no part in reports */
            tests: {
                balanced: boolean;
                /** @description How many of them are gone with their day, and are counted by their sums */
                gone: number;
                left: number;
                right: {
                    [key: string]: number;
                };
                /** @description The terms of the right, added up */
                sum: number;
            };
        };
        /** @description Nearest-rank percentiles at most 2 % off; the longest is exact; null where nothing was measured */
        Lengths: {
            /** @description The buckets in order, without empty ones */
            buckets: {
                count: number;
                fromMs: number;
                toMs: number;
            }[];
            count: number;
            maxMs: number | null;
            p50Ms: number | null;
            p95Ms: number | null;
            p99Ms: number | null;
        };
        ListDetail: {
            /** @example vip-2027 */
            name: string;
            serviceId: string;
            /** @description Under way */
            uploads: components["schemas"]["ListUpload"][];
            /** @description The newest first */
            versions: components["schemas"]["ListVersion"][];
        };
        ListedList: {
            /** @example 3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f */
            contentDigest: string;
            /** Format: date-time */
            expiresAt: string;
            /** @example vip-2027 */
            name: string;
            /** Format: date-time */
            readyAt: string;
            rows: number;
            serviceId: string;
            /**
             * Format: uuid
             * @example 01936d5c-7a00-7000-8000-000000000001
             */
            version: string;
        };
        ListUpload: {
            /** Format: date-time */
            begunAt: string;
            /** @description That came so far, unpacked */
            bytes: number;
            /** @description That came so far, repeated ids included */
            rows: number;
            /**
             * Format: uuid
             * @example 01936d5c-7a00-7000-8000-000000000001
             */
            version: string;
        };
        ListVersion: {
            /** @description Its ids by zone, the largest first; without those whose zone is none */
            byZone: {
                rows: number;
                /** @description Null: none was given */
                zone: string | null;
            }[];
            /** @description Open campaigns that go to it: it stays until seven days after their end */
            campaigns: number;
            /** @example 3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f */
            contentDigest: string;
            /** @description Campaigns that are published now go to it */
            counts: boolean;
            duplicates: number;
            /** Format: date-time */
            expiresAt: string;
            /** @description Names that are no IANA zones; their ids go by the fallback */
            invalidZones: {
                /** @description The zone that was meant, perhaps */
                near?: string;
                rows: number;
                value: string;
            }[];
            /** Format: date-time */
            readyAt: string;
            rows: number;
            /**
             * Format: uuid
             * @example 01936d5c-7a00-7000-8000-000000000001
             */
            version: string;
        };
        /**
         * @example {
         *       "default": {
         *         "content": "Our spring sale begins"
         *       }
         *     }
         */
        Message: {
            /** @description Replaces default for APNS */
            apns?: components["schemas"]["Content"] | null;
            /** @description For every device */
            default: components["schemas"]["Content"];
            /** @description Replaces default for GCM */
            gcm?: components["schemas"]["Content"] | null;
            /** @description Texts by language for all device types */
            i18n?: {
                [key: string]: {
                    /** @example Our spring sale begins */
                    content: string;
                };
            } | null;
        };
        Missing: {
            /** @enum {string} */
            code: "EVENT_WITHOUT_COUNTERPART" | "CAMPAIGN_WITHOUT_EVENT" | "REVISION_WITHOUT_EVENT" | "COMMAND_WITHOUT_EVENT" | "PARKED_WITHOUT_EVENT" | "REJECTION_WITHOUT_EVENT" | "DUPLICATE_WITHOUT_EVENT" | "CAMPAIGN_WITHOUT_REVISION" | "CAMPAIGN_HISTORY_GAP" | "PLAN_WITHOUT_CELLS" | "CELL_WITHOUT_OCCURRENCE" | "CELL_WITHOUT_SENDS" | "SEND_WITHOUT_CELL" | "NEXT_SEND_MISSING" | "CHUNK_COUNTED_TWICE" | "SEND_TWICE" | "SUMS_DIFFER" | "RECIPIENTS_MISSING" | "SEND_HISTORY_GAP" | "ATTEMPTS_MISSING" | "DEVICES_UNBALANCED";
            count: number;
            /** @description The first of them: which row, and what is wrong with it */
            rows: {
                row: string;
                text: string;
            }[];
        };
        NewToken: {
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            lastUsedAt: string | null;
            name: string;
            revokedAt: string | null;
            roles: ("publisher" | "analyst" | "operator" | "admin")[];
            /** @description * holds every serviceId */
            serviceIds: string[];
            /** @description The sources of events over HTTP, exact or as prefix/*; empty: any, which only a token for all services may have */
            sources: string[];
            token: string;
        };
        NewWebhook: {
            /** @description null: all */
            causes: ("FAILURES" | "UNCERTAIN" | "LATE" | "QUOTA" | "BLOCKED" | "KEY_REFUSED" | "CIRCUIT" | "GATEWAY_UNREACHABLE" | "STOPPED" | "REJECTIONS" | "DAYS_AHEAD" | "DISK" | "CLOCK" | "REPLICA_UNHEARD" | "BACKLOG" | "CREDENTIAL_MISSING" | "DEADLINE_AHEAD" | "LEDGER_OUT_OF_BALANCE" | "ZONE_RULES_OLD")[] | null;
            /** Format: date-time */
            createdAt: string;
            createdBy: string;
            /** @description When a message was taken last */
            deliveredAt: string | null;
            /** @description Since when no try got through; null: the last one did */
            failingSince: string | null;
            id: string;
            lastError: string | null;
            /** @description Shown this once; signs every message */
            secret: string | null;
            /** @description null: all, and the whole installation */
            services: string[] | null;
            url: string;
        };
        Occurrence: {
            code: string | null;
            firstDueAt: string | null;
            lastDueAt: string | null;
            /** @description once, the local date and time of the firing, or test-<revision> */
            occurrence: string;
            revision: number;
            /** @enum {string} */
            state: "planned" | "running" | "completed" | "expired" | "canceling" | "canceled" | "skipped";
            /** Format: date-time */
            stateAt: string;
        };
        OffsetChange: {
            /** Format: date-time */
            at: string;
            /** @description +09:00 */
            from: string;
            to: string;
        };
        PausedEvent: {
            data: components["schemas"]["CommandData"];
            /** @description A JSON media type */
            datacontenttype?: string | null;
            /**
             * @description With source and serviceId the idempotency key, for 30 days
             * @example spring-sale-1
             */
            id: string;
            /**
             * @description A URI reference; the project names the sources that it takes from Kafka
             * @example /shop/promotions
             */
            source: string;
            /** @constant */
            specversion: "1.0";
            /**
             * @description The campaignId, unique within the serviceId: 1 to 128 of A–Z a–z 0–9 . _ : -
             * @example spring-sale-2027
             */
            subject: string;
            /**
             * @description When the event was made, with its offset. Refused if it is more than 30 days ago or five minutes ahead, or not after the newest event taken for the campaign (SUPERSEDED); a stricter act may be up to a minute older. See Order of acts
             * @example 2027-03-01T00:00:00Z
             */
            time: string;
            /**
             * @description The trace that the event belongs to, as in W3C Trace Context; an invalid one counts as none, with a warning
             * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
             */
            traceparent?: string;
            /**
             * @description What tracing systems add to the trace; 512 characters are kept
             * @example congo=t61rcWkgMzE
             */
            tracestate?: string;
            /** @constant */
            type: "carillon.campaign.paused.v1";
        } & {
            [key: string]: unknown;
        };
        PlanProblem: {
            code: string;
            /** @description For PLAN_CHANGED: the differences from the preview */
            difference?: unknown;
            /** @description JSON pointer into data; empty for the whole */
            pointer: string;
            text: string;
        };
        /**
         * @example {
         *       "night": "defer",
         *       "passedZone": "skip"
         *     }
         */
        Policy: {
            /** @description required: it is planned and shown, and nothing leaves before somebody approves it [none] */
            approval?: ("none" | "required") | null;
            /** @description ISO 8601 duration after the intended instant, at most a year [P1D]: nothing leaves later than that */
            deadline?: string | null;
            /** @description For wall times around a change of the clock */
            dst?: {
                /** @description A wall time that does not exist [forward] */
                gap?: ("forward" | "skip" | "reject") | null;
                /** @description One that exists twice [first] */
                overlap?: ("first" | "second" | "reject") | null;
            } | null;
            /** @description reserve: hand off as soon as the push service takes a reservation; hold: hand off when it is due [reserve] */
            handoff?: ("reserve" | "hold") | null;
            /** @description ISO 8601 duration without months or years [PT0S]: spreads zones that fall on the same instant */
            jitter?: string | null;
            /** @description For sends that the scheduler could not hand off at their due: it was down, throttled or blocked */
            lateness?: {
                /** @description ISO 8601 duration without months or years [PT30M] */
                max?: string | null;
                /** @description What happens to a send that is later than max [expire] */
                then?: ("expire" | "send") | null;
            } | null;
            /** @description For AD, from 21:00 to 08:00 on the recipient's clock [consented]: the push service leaves out users without night consent; defer to 08:00; skip */
            night?: ("consented" | "defer" | "skip") | null;
            /** @description Requests of this campaign a minute, spread evenly; none switches a project's default off */
            pace?: ({
                /**
                 * @description Requests
                 * @example 6000
                 */
                perMinute: number;
            } | "none") | null;
            /** @description For zones where the wall time is already over [skip]: skip, send-now, next-day, reject, or floor:<zone>: the instant of that wall time in the zone */
            passedZone?: string | null;
            /** @description A daily window on the recipient's clock, for any messageType; none switches a project's default off */
            quietHours?: ({
                /**
                 * @description Defer to the end of the window, or skip
                 * @example defer
                 * @enum {string}
                 */
                action: "defer" | "skip";
                /**
                 * @description HH:mm
                 * @example 21:00
                 */
                end: string;
                /**
                 * @description HH:mm
                 * @example 21:00
                 */
                start: string;
            } | "none") | null;
            /** @description A send for each value, so that reports show them separately; country needs audience.country */
            split?: ("deviceType" | "country")[] | null;
            /** @description User ids that get it at once, as a test, before it is approved and outside its reports; the push service still leaves out who did not consent */
            testTo?: string[] | null;
        };
        PreviewedCell: {
            cell: string;
            country: string;
            /** @enum {string} */
            deviceType: "all" | "GCM" | "APNS";
            dueAt: string | null;
            handOffAt: string | null;
            intendedAt: string | null;
            local: {
                /** @description The wall time asked for */
                asked: string | null;
                /** @description The wall time in the zone when it is due */
                reading: {
                    date: string;
                    offset: string;
                    time: string;
                    weekday: string;
                };
            } | null;
            mode: ("immediate" | "reserved" | "scheduled") | null;
            occurrence: string;
            recipients: number | null;
            requests: number;
            /** @description Why this mode */
            rule: ("SCHEDULE_CODE" | "DUE_NOW" | "HELD_BY_POLICY" | "SUB_MINUTE" | "TOO_CLOSE_TO_RESERVE" | "BEYOND_HORIZON" | "RESERVABLE") | null;
            /** @description Number of the event's segment, from 1; 0: none */
            segment: number;
            /** @description Why none of its requests leaves */
            skipped: ("DST_GAP" | "PASSED_ZONE" | "NIGHT" | "QUIET_HOURS" | "DEADLINE" | "REJECTED_BY_POLICY") | null;
            /** @description The request's target, without the ids of a USER audience */
            target: {
                country?: string[] | null;
                deviceType?: ("GCM" | "APNS") | null;
                /** @description Registered offsets, seconds from UTC */
                timezone?: number[] | null;
                to?: string[] | null;
                /** @enum {string} */
                type: "ALL" | "CHANNEL" | "USER";
            };
            verdicts: components["schemas"]["Verdicts"];
            zone: string;
            /** @enum {string} */
            zoneSource: "given" | "directory" | "registered-offset" | "country" | "fallback" | "delivery" | "project";
        };
        PreviewedPlan: {
            cells: number;
            /** Format: date-time */
            expiresAt: string;
            items: components["schemas"]["PreviewedCell"][];
            load: {
                /** @description Requests that the project's rate moves to after this minute */
                backlog: number;
                /** Format: date-time */
                minute: string;
                requests: number;
            }[];
            /** @description Where the next page begins; null on the last */
            nextCursor: string | null;
            /**
             * Format: date-time
             * @description When the occurrences after these are planned
             */
            nextLookAt?: string;
            /** @description An event that names it runs exactly this plan, or is refused */
            planHash: string;
            policy: components["schemas"]["ShownPolicy"];
            /** @description Why the campaign cannot be planned at all */
            refusal: components["schemas"]["PlanProblem"] | null;
            serviceId: string;
            totals: {
                cells: number;
                duplicates: number;
                expectedEndAt: string | null;
                expiredRequests: number;
                fallbackRecipients: number | null;
                firstDueAt: string | null;
                invalidZones: {
                    [key: string]: number;
                };
                lastDueAt: string | null;
                /** @description Ids in the fallback zone because their offset was not looked up */
                provisional: number;
                /** @description null where an audience is not made of ids */
                recipients: number | null;
                requests: number;
                skippedRequests: number;
            };
            tzdata: {
                source: string;
                version: string;
            };
            warnings: components["schemas"]["PlanProblem"][];
        };
        Problem: {
            /** @description Stable; the texts are not */
            code: string;
            detail: string;
            /** @description What was wrong: the first 50, and how many more */
            problems?: {
                code: string;
                /** @description JSON pointer into the body, ?name for a query parameter, {name} for a segment of the path; '' for the whole */
                pointer: string;
                text: string;
            }[];
            requestId: string;
            status: number;
            title: string;
        } & {
            [key: string]: unknown;
        };
        Project: {
            /**
             * @description required: each of its campaigns waits until another token approves it than the one that published it
             * @enum {string}
             */
            approval: "none" | "required";
            /** @description Where its requests go */
            baseUrl: string;
            /** @description Why no process calls it now */
            blocked: {
                /** @description Who stopped it; null: nobody did, the gateway or a fault blocks it */
                by: string | null;
                code: string;
                /** @description The gateway's own words, where the gateway is the reason; of a stop the reason that was given */
                detail: string | null;
                /** @description When the block with this code began */
                since: string | null;
                /** @description null: until an operator starts it */
                until: string | null;
            } | null;
            /** @description How far its own admins may set these settings; a token for all services sets the bounds, by name or with the setting */
            bounds: {
                inFlight: number;
                ratePerSecond: number;
                sources: string[];
                weight: number;
            };
            /** Format: date-time */
            createdAt: string;
            /** @description Shown where no zone is named, and the fallback of recipients without one */
            defaultZone: string;
            /** @description How it is called now */
            dispatch: {
                /** @description Calls a second now, over all processes: halved by a 429, then climbing back to ratePerSecond */
                rate: number;
                slowedAt: string | null;
                /** @description The troubles that single processes have with it: how many processes, and since when the first of them. With each trouble except CLOCK_CORRECTED they do not call it */
                troubles: {
                    code: string;
                    detail: string | null;
                    processes: number;
                    /** Format: date-time */
                    since: string;
                }[];
            };
            /** @description Extensions in use: what the newest answer of its gateway named, without what is switched off */
            extensions: string[];
            /** @description Extensions that are not used even if its gateway offers them */
            extensionsOff: string[];
            /** @description The zone in which the gateway's date-times are read */
            gatewayZone: string;
            hasApiKey: boolean;
            /** @description Requests at once */
            inFlight: number;
            /** @description The key that is tried first, then the other; never their secrets */
            keys: {
                accessKey: string;
                /** Format: date-time */
                createdAt: string;
                position: number;
            }[];
            /** @description Registered offsets that one campaign may have looked up */
            lookupMax: number;
            maxRetries: number;
            /** @description User ids in one request */
            maxTo: number;
            minReserveLeadMs: number;
            /** @enum {string} */
            onUncertain: "wait" | "resend";
            /** @description Members of an event's policy, as a publisher would write them */
            policyDefaults: {
                [key: string]: unknown;
            };
            /** @description Country to zone, for countries with several */
            principalZones: {
                [key: string]: string;
            };
            /** @description Requests a second, all processes together */
            ratePerSecond: number;
            /** @description It was stopped with a recall: what the push service holds is asked back */
            recalled: boolean;
            /** @description Kafka topic for its rejected events, in addition to campaign.events.dead */
            rejectionsTopic: string | null;
            /** @description Whether its gateway takes reservations */
            reservations: boolean;
            reserveHorizonMs: number;
            serviceId: string;
            /** @description Event sources it takes over Kafka, exact or prefix/* */
            sources: string[];
            /** Format: date-time */
            updatedAt: string;
            /** @description What somebody should know about it; none of these keeps it from working */
            warnings: string[];
            /** @description Turns it takes where other projects take one */
            weight: number;
        };
        ProjectStatus: {
            blocked: {
                code: string;
                /** @description The gateway's own words */
                detail: string | null;
                since: string | null;
                /** @description null: until somebody starts it */
                until: string | null;
            } | null;
            dueNextHour: components["schemas"]["Counted"];
            /** @description Sends that ended badly in the last seven days and have no newer try */
            failed: {
                last: string | null;
                sends: components["schemas"]["Counted"];
                since: string | null;
            };
            /** @description What the push service holds */
            held: {
                /** @description When the next is due */
                next: string | null;
                reservations: components["schemas"]["Counted"];
            };
            /** @description Of immediate sends that were due since the hour before this one began */
            lateness: {
                /** Format: date-time */
                from: string;
                p99Ms: number | null;
                sends: number;
            };
            /** @description Sends that should have left */
            overdue: {
                oldestSeconds: number | null;
                sends: components["schemas"]["Counted"];
                /** @description When the oldest should have left */
                since: string | null;
            };
            serviceId: string;
            /**
             * @description unreachable: its push service does not answer; in-trouble: it answers with errors
             * @enum {string}
             */
            state: "running" | "stopped" | "blocked" | "unreachable" | "in-trouble";
            stopped: {
                by: string | null;
                reason: string | null;
                since: string | null;
            } | null;
            /** @description Sends of unknown fate */
            uncertain: {
                oldestSeconds: number | null;
                sends: components["schemas"]["Counted"];
                /** @description When the oldest became uncertain */
                since: string | null;
            };
            /** @description How many processes get no good answer from its push service, and since when the first */
            unreachable: {
                detail: string | null;
                processes: number;
                /** Format: date-time */
                since: string;
            } | null;
        };
        ProjectWithStop: {
            /**
             * @description required: each of its campaigns waits until another token approves it than the one that published it
             * @enum {string}
             */
            approval: "none" | "required";
            /** @description Where its requests go */
            baseUrl: string;
            /** @description Why no process calls it now */
            blocked: {
                /** @description Who stopped it; null: nobody did, the gateway or a fault blocks it */
                by: string | null;
                code: string;
                /** @description The gateway's own words, where the gateway is the reason; of a stop the reason that was given */
                detail: string | null;
                /** @description When the block with this code began */
                since: string | null;
                /** @description null: until an operator starts it */
                until: string | null;
            } | null;
            /** @description How far its own admins may set these settings; a token for all services sets the bounds, by name or with the setting */
            bounds: {
                inFlight: number;
                ratePerSecond: number;
                sources: string[];
                weight: number;
            };
            /** Format: date-time */
            createdAt: string;
            /** @description Shown where no zone is named, and the fallback of recipients without one */
            defaultZone: string;
            /** @description How it is called now */
            dispatch: {
                /** @description Calls a second now, over all processes: halved by a 429, then climbing back to ratePerSecond */
                rate: number;
                slowedAt: string | null;
                /** @description The troubles that single processes have with it: how many processes, and since when the first of them. With each trouble except CLOCK_CORRECTED they do not call it */
                troubles: {
                    code: string;
                    detail: string | null;
                    processes: number;
                    /** Format: date-time */
                    since: string;
                }[];
            };
            /** @description Extensions in use: what the newest answer of its gateway named, without what is switched off */
            extensions: string[];
            /** @description Extensions that are not used even if its gateway offers them */
            extensionsOff: string[];
            /** @description The zone in which the gateway's date-times are read */
            gatewayZone: string;
            hasApiKey: boolean;
            /** @description Requests at once */
            inFlight: number;
            /** @description The key that is tried first, then the other; never their secrets */
            keys: {
                accessKey: string;
                /** Format: date-time */
                createdAt: string;
                position: number;
            }[];
            /** @description Registered offsets that one campaign may have looked up */
            lookupMax: number;
            maxRetries: number;
            /** @description User ids in one request */
            maxTo: number;
            minReserveLeadMs: number;
            /** @enum {string} */
            onUncertain: "wait" | "resend";
            /** @description Members of an event's policy, as a publisher would write them */
            policyDefaults: {
                [key: string]: unknown;
            };
            /** @description Country to zone, for countries with several */
            principalZones: {
                [key: string]: string;
            };
            /** @description Requests a second, all processes together */
            ratePerSecond: number;
            /** @description It was stopped with a recall: what the push service holds is asked back */
            recalled: boolean;
            /** @description Kafka topic for its rejected events, in addition to campaign.events.dead */
            rejectionsTopic: string | null;
            /** @description Whether its gateway takes reservations */
            reservations: boolean;
            reserveHorizonMs: number;
            serviceId: string;
            /** @description Event sources it takes over Kafka, exact or prefix/* */
            sources: string[];
            /** @description While it is stopped: what is held back, and what is still delivered */
            stopped: {
                /** @description What a stop alone does not hold back */
                atPushService: {
                    /** @description Sends whose answer is awaited, those that are being asked back among them */
                    inFlight: number;
                    /** @description When the first of the reservations is due */
                    next: string | null;
                    /** @description Sends that the push service holds, and delivers at their time unless they are recalled */
                    reservations: number;
                    /** @description Sends under a schedule of the push service: it delivers each firing */
                    standing: number;
                };
                /** @description Sends that have not left: none of them leaves while the project is stopped */
                held: number;
            } | null;
            /** Format: date-time */
            updatedAt: string;
            /** @description What somebody should know about it; none of these keeps it from working */
            warnings: string[];
            /** @description Turns it takes where other projects take one */
            weight: number;
        };
        PutRecipientZones: {
            /** @description Of the users, those whose zone was taken away */
            deleted: number;
            /** @description Names that are no IANA zones: the directory keeps what it had */
            invalidZones: {
                near?: string;
                rows: number;
                value: string;
            }[];
            /** @description Users of whom something newer was said before: it stays */
            older: number;
            /** @description Rows that came */
            rows: number;
            serviceId: string;
            /** @description Users whose zone is now as it was sent; of several rows of a user the last counts */
            written: number;
        };
        Rate: {
            denominator: number;
            numerator: number;
            /** @description null for 0/0 */
            rate: number | null;
        };
        /** @description Only a token's holder sees more than the status, and only about services that the token holds */
        Readiness: {
            checks?: {
                name: string;
                /**
                 * @description The check failed, but the process is still ready
                 * @constant
                 */
                note?: true;
                ok: boolean;
                text: string;
            }[];
            loops?: string[];
            /** @enum {string} */
            status: "ready" | "not-ready";
            /** @description The rules that this process plans by */
            zoneRules?: {
                source: string;
                version: string;
                yearsBehind: number | null;
            };
        };
        Reason: {
            /** @enum {string} */
            code: "UNREADABLE" | "TOO_LARGE" | "NOT_UTF8" | "NOT_JSON" | "TOO_DEEP" | "DUPLICATE_MEMBER" | "FORBIDDEN_MEMBER" | "NOT_STORABLE" | "NUMBER_NOT_EXACT" | "UNKNOWN_TYPE" | "TIME_TOO_OLD" | "TIME_AHEAD" | "KEY_MISMATCH" | "REQUIRED" | "WRONG_TYPE" | "WRONG_VALUE" | "WRONG_FORMAT" | "TOO_SHORT" | "TOO_LONG" | "UNKNOWN_MEMBER" | "DELIVERY_UNCLEAR" | "ZONE_MISSING" | "ZONE_UNKNOWN" | "NO_SUCH_TIME" | "TIME_PASSED" | "INVALID_RECURRENCE" | "AUDIENCE_UNCLEAR" | "TOO_MANY_CELLS" | "PLAN_TOO_LARGE" | "SERVICE_NOT_ALLOWED" | "UNKNOWN_SERVICE" | "UNKNOWN_LIST" | "LIST_EXPIRED" | "SOURCE_NOT_ALLOWED" | "POLICY_DEFAULTS_INVALID" | "DUPLICATE_WITH_DIFFERENT_CONTENT" | "UNKNOWN_CAMPAIGN" | "UNKNOWN_OCCURRENCE" | "OCCURRENCE_TOO_FAR" | "OCCURRENCE_CLOSED" | "CAMPAIGN_CLOSED" | "SUPERSEDED" | "COULD_NOT_BE_TAKEN" | "MORE";
            /** @description JSON pointer into the CloudEvent (/data/delivery/at); empty for the whole */
            pointer: string;
            text: string;
        };
        RecipientDrift: {
            /**
             * Format: date-time
             * @description When it said so
             */
            lookedUpAt: string;
            /** @description What the push service said */
            registeredOffsetSeconds: number;
            userId: string;
            /** @description In the directory: campaigns go by it */
            zone: string;
            /** @description What the clocks of that zone are ahead of UTC by now */
            zoneOffsetSeconds: number;
        };
        /**
         * @example {
         *       "recipients": [
         *         {
         *           "userId": "user-1",
         *           "zone": "Asia/Seoul"
         *         }
         *       ]
         *     }
         */
        RecipientZones: {
            recipients: {
                userId: string;
                /** @description An IANA zone; null takes it away */
                zone: string | null;
            }[];
        };
        Rejection: {
            /** @description Of its body */
            bytes: number;
            /**
             * Format: uuid
             * @description Our id of the event that was refused
             */
            eventId: string;
            /** Format: uuid */
            id: string;
            offset: string | null;
            partition: number | null;
            problems: components["schemas"]["Reason"][];
            /** @description Why it was discarded, where somebody said so */
            reason: string | null;
            /** Format: date-time */
            rejectedAt: string;
            /** @description The event that was taken in its place, and its campaign; both ids are ours */
            replay: {
                campaignId: string | null;
                /** Format: uuid */
                eventId: string;
            } | null;
            /** @description The rejection that this event was a replay of */
            replayOf: string | null;
            /** @description The envelope, as far as it could be read */
            seen: {
                id: string | null;
                source: string | null;
                subject: string | null;
                time: string | null;
                type: string | null;
            };
            /** @description null where it could not be read, or the token did not hold it */
            serviceId: string | null;
            settledAt: string | null;
            settledBy: string | null;
            /** @enum {string} */
            state: "open" | "replayed" | "discarded";
            topic: string | null;
            /** @enum {string} */
            via: "kafka" | "http";
        };
        RejectionWithBody: {
            /** @description The bytes as they came; null where they are more than 131072; null for publishers that are no operators */
            bodyBase64: string | null;
            /** @description Of its body */
            bytes: number;
            /** @description The whole CloudEvent, to edit and replay; null where it cannot be read or has more than 131072 bytes; null for publishers that are no operators */
            event: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: uuid
             * @description Our id of the event that was refused
             */
            eventId: string;
            /** @description null for publishers that are no operators */
            headers: {
                [key: string]: string;
            } | null;
            /** Format: uuid */
            id: string;
            offset: string | null;
            partition: number | null;
            problems: components["schemas"]["Reason"][];
            /** @description Why it was discarded, where somebody said so */
            reason: string | null;
            /** Format: date-time */
            rejectedAt: string;
            /** @description The event that was taken in its place, and its campaign; both ids are ours */
            replay: {
                campaignId: string | null;
                /** Format: uuid */
                eventId: string;
            } | null;
            /** @description The rejection that this event was a replay of */
            replayOf: string | null;
            /** @description The envelope, as far as it could be read */
            seen: {
                id: string | null;
                source: string | null;
                subject: string | null;
                time: string | null;
                type: string | null;
            };
            /** @description null where it could not be read, or the token did not hold it */
            serviceId: string | null;
            settledAt: string | null;
            settledBy: string | null;
            /** @enum {string} */
            state: "open" | "replayed" | "discarded";
            topic: string | null;
            /** @enum {string} */
            via: "kafka" | "http";
        };
        /** @description What the push service's breakdowns say about these devices, once they are there. `failed` and `unknown` together are `failed` of devices; `suppressed` were no targets; for `notReported` there is no breakdown */
        Reported: {
            devices: {
                [key: string]: number;
            };
            reasons: {
                devices: number;
                /** @enum {string} */
                outcome: "sent" | "failed" | "unknown" | "suppressed" | "notReported";
                reason: string | null;
            }[];
        };
        ReportRow: {
            /** @description Both sides of devices and of sends agree; in the totals also: they are the sums of the rows */
            balanced: boolean;
            cell: string;
            country: string;
            /** @description dueAt - intendedAt where that is more than 0: a decision, not a fault */
            deferral: components["schemas"]["Spread"];
            /** @description pending: no final result yet; unknown: the send is uncertain */
            devices: {
                [key: string]: number;
            };
            /** @enum {string} */
            deviceType: "all" | "GCM" | "APNS";
            dueAt: string | null;
            final: boolean;
            /** @description How many of the sends are kept only as sums: their lengths are at most 2 % off */
            gone: number;
            intendedAt: string | null;
            /** @description Against dueAt: immediate until the 202 was received, reserved until completeTime. No retries */
            lateness: {
                immediate: components["schemas"]["Spread"];
                reserved: components["schemas"]["Spread"];
            };
            local: {
                /** @description The wall time asked for */
                asked: string | null;
                /** @description The wall time in the zone when it is due */
                reading: {
                    date: string;
                    offset: string;
                    time: string;
                    weekday: string;
                };
            } | null;
            mode: ("immediate" | "reserved" | "scheduled") | null;
            /** @description How many of the newest sends that left us were handed off in each mode */
            modes: {
                [key: string]: number;
            };
            occurrence: string;
            recipients: number | null;
            /** @description How long after the first due of their chunk the retries got through */
            recoveredAfter: components["schemas"]["Spread"];
            /** @description Why this mode */
            rule: ("SCHEDULE_CODE" | "DUE_NOW" | "HELD_BY_POLICY" | "SUB_MINUTE" | "TOO_CLOSE_TO_RESERVE" | "BEYOND_HORIZON" | "RESERVABLE") | null;
            /** @description Number of the event's segment, from 1; 0: none */
            segment: number;
            /** @description planned: the requests; each counts as one of the other terms */
            sends: {
                [key: string]: number;
            };
            /** @description Devices that a provider took, of those targeted */
            sentRate: components["schemas"]["Rate"];
            /** @description Why none of its requests leaves */
            skipped: ("DST_GAP" | "PASSED_ZONE" | "NIGHT" | "QUIET_HOURS" | "DEADLINE" | "REJECTED_BY_POLICY") | null;
            verdicts: components["schemas"]["Verdicts"];
            zone: string;
            /** @enum {string} */
            zoneSource: "given" | "directory" | "registered-offset" | "country" | "fallback" | "delivery" | "project";
        };
        ReportTotals: {
            /** @description Both sides of devices and of sends agree; in the totals also: they are the sums of the rows */
            balanced: boolean;
            /** @description dueAt - intendedAt where that is more than 0: a decision, not a fault */
            deferral: components["schemas"]["Spread"];
            /** @description pending: no final result yet; unknown: the send is uncertain */
            devices: {
                [key: string]: number;
            };
            final: boolean;
            /** @description How many of the sends are kept only as sums: their lengths are at most 2 % off */
            gone: number;
            /** @description Against dueAt: immediate until the 202 was received, reserved until completeTime. No retries */
            lateness: {
                immediate: components["schemas"]["Spread"];
                reserved: components["schemas"]["Spread"];
            };
            /** @description How many of the newest sends that left us were handed off in each mode */
            modes: {
                [key: string]: number;
            };
            /** @description How long after the first due of their chunk the retries got through */
            recoveredAfter: components["schemas"]["Spread"];
            /** @description planned: the requests; each counts as one of the other terms */
            sends: {
                [key: string]: number;
            };
            /** @description Devices that a provider took, of those targeted */
            sentRate: components["schemas"]["Rate"];
        };
        ResolveItem: {
            /** Format: uuid */
            campaign: string;
            code: string | null;
            /** Format: uuid */
            send: string;
            serviceId: string;
            state: components["schemas"]["SendState"];
        };
        Resolves: {
            confirmedAt: string | null;
            confirmedBy: string | null;
            /** Format: date-time */
            createdAt: string;
            createdBy: string;
            doneAt: string | null;
            /** @description It can be confirmed until then; null while it is not ready */
            expiresAt: string | null;
            /** @description The filter of the preview */
            filter: {
                /**
                 * Format: uuid
                 * @description Our id; requests may have serviceId/campaignId (in a path with the slash as %2F)
                 */
                campaign?: string;
                cell?: string;
                code?: string;
                deferred?: boolean;
                dueFrom?: string;
                dueTo?: string;
                httpStatus?: "none" | number;
                /** @description Milliseconds */
                lateOver?: number;
                /** @enum {string} */
                mode?: "immediate" | "reserved" | "scheduled";
                occurrence?: string;
                reason?: string;
                requestId?: string;
                sends?: string[];
                serviceId?: string;
                since?: string;
                states: "uncertain"[];
                until?: string;
                zone?: string;
            };
            found: number;
            /** @description Sends that are not resolved, by code */
            leftOut: {
                [key: string]: number;
            };
            reason: string | null;
            /** @enum {string} */
            resolution: "confirmed-sent" | "confirmed-not-sent";
            /** @description found = resolve + the sum of leftOut */
            resolve: number;
            resolved: number;
            /** @enum {string} */
            state: "gathering" | "ready" | "expired" | "resolving" | "done";
            /**
             * Format: uuid
             * @description Confirms it, and finds it again
             */
            token: string;
        };
        ResumedEvent: {
            data: components["schemas"]["CommandData"];
            /** @description A JSON media type */
            datacontenttype?: string | null;
            /**
             * @description With source and serviceId the idempotency key, for 30 days
             * @example spring-sale-1
             */
            id: string;
            /**
             * @description A URI reference; the project names the sources that it takes from Kafka
             * @example /shop/promotions
             */
            source: string;
            /** @constant */
            specversion: "1.0";
            /**
             * @description The campaignId, unique within the serviceId: 1 to 128 of A–Z a–z 0–9 . _ : -
             * @example spring-sale-2027
             */
            subject: string;
            /**
             * @description When the event was made, with its offset. Refused if it is more than 30 days ago or five minutes ahead, or not after the newest event taken for the campaign (SUPERSEDED); a stricter act may be up to a minute older. See Order of acts
             * @example 2027-03-01T00:00:00Z
             */
            time: string;
            /**
             * @description The trace that the event belongs to, as in W3C Trace Context; an invalid one counts as none, with a warning
             * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
             */
            traceparent?: string;
            /**
             * @description What tracing systems add to the trace; 512 characters are kept
             * @example congo=t61rcWkgMzE
             */
            tracestate?: string;
            /** @constant */
            type: "carillon.campaign.resumed.v1";
        } & {
            [key: string]: unknown;
        };
        RetriedSend: {
            answeredAt: string | null;
            attempts: number;
            /** Format: uuid */
            campaign: string;
            campaignId: string | null;
            cell: string;
            /** @description Number of its chunk of the cell's recipients */
            chunk: number;
            code: string | null;
            completeTime: string | null;
            /** Format: date-time */
            createdAt: string;
            detail: string | null;
            dueAt: string | null;
            /** @description Devices that got the old send as well */
            duplicates: number;
            gatewayStatus: string | null;
            /** @description The state that a cancel, pause or revision asked for and that it has not come to yet */
            goal: string | null;
            handedOffAt: string | null;
            /** @description When it is to leave, or has left; null where it never will */
            handOffAt: string | null;
            /** Format: uuid */
            id: string;
            intendedAt: string | null;
            /** @enum {string} */
            mode: "immediate" | "reserved" | "scheduled";
            /** @description Whether it is the send of its chunk that counts */
            newest: boolean;
            occurrence: string;
            /** @description How many ids; null for an audience not made of ids */
            recipients: number | null;
            /** @description The push service's */
            requestId: string | null;
            retries: number;
            retryOf: string | null;
            revision: number;
            /**
             * @description Why this mode
             * @enum {string}
             */
            rule: "SCHEDULE_CODE" | "DUE_NOW" | "HELD_BY_POLICY" | "SUB_MINUTE" | "TOO_CLOSE_TO_RESERVE" | "BEYOND_HORIZON" | "RESERVABLE";
            scheduleCode: string | null;
            /** @description Devices that a provider took */
            sent: number | null;
            serviceId: string;
            state: components["schemas"]["SendState"];
            /** Format: date-time */
            stateAt: string;
            stateBy: string;
            /** @description Devices */
            target: number | null;
            zone: string | null;
        };
        Retries: {
            /** @description How many failed and stale sends the push service was asked about once more, of how many */
            asked: {
                done: number;
                of: number;
            };
            campaignCount: number;
            /** @description They are more than are counted */
            campaignCountIsLeast: boolean;
            /** @description Whose sends are retried: the twenty with the most */
            campaigns: {
                /** Format: uuid */
                campaign: string;
                sends: number;
            }[];
            confirmedAt: string | null;
            confirmedBy: string | null;
            /** Format: date-time */
            createdAt: string;
            createdBy: string;
            /** @description Devices of the sends that are retried, as their last results say */
            devices: number;
            doneAt: string | null;
            /** @description When the retries are due, spread over half of each project's rate; before the confirmation, as if it were confirmed now */
            due: {
                /** @description Retries that were moved out of the night or quiet hours */
                deferred: number;
                /** Format: date-time */
                first: string;
                /** Format: date-time */
                last: string;
            } | null;
            /** @description It can be confirmed until then; null while it is not ready */
            expiresAt: string | null;
            /** @description Sends that are retried though they would fail again, by code: what refused them does not change by itself */
            failsAgain: {
                [key: string]: number;
            };
            /** @description The filter of the preview */
            filter: {
                /**
                 * Format: uuid
                 * @description Our id; requests may have serviceId/campaignId (in a path with the slash as %2F)
                 */
                campaign?: string;
                cell?: string;
                code?: string;
                deferred?: boolean;
                dueFrom?: string;
                dueTo?: string;
                httpStatus?: "none" | number;
                /** @description Milliseconds */
                lateOver?: number;
                /** @enum {string} */
                mode?: "immediate" | "reserved" | "scheduled";
                occurrence?: string;
                reason?: string;
                requestId?: string;
                sends?: string[];
                serviceId?: string;
                since?: string;
                stale?: boolean;
                states: ("failed" | "stale" | "rejected" | "expired")[];
                until?: string;
                zone?: string;
            };
            found: number;
            /** @description Sends that are not retried, by code */
            leftOut: {
                [key: string]: number;
            };
            /** @description When the oldest of the sends that were found was due first */
            oldestDueAt: string | null;
            retried: number;
            /** @description found = retry + the sum of leftOut */
            retry: number;
            /** @enum {string} */
            state: "gathering" | "asking" | "ready" | "expired" | "retrying" | "done";
            /**
             * Format: uuid
             * @description Confirms it, and finds it again
             */
            token: string;
            /** @description Sends without a result: nobody knows how many devices they have */
            unknownDevices: number;
        };
        RetryItem: {
            /** Format: uuid */
            campaign: string;
            code: string | null;
            /** Format: uuid */
            send: string;
            serviceId: string;
            state: components["schemas"]["SendState"];
            /** @enum {string} */
            waitsFor: "question" | "retry";
        };
        Revision: {
            /**
             * Format: uuid
             * @description The event that made it
             */
            event: string;
            /** @description Over its message, audience, delivery and policy: whoever approves it says which they saw */
            hash: string;
            messageType: ("NOTIF" | "AD") | null;
            /** @description Over HTTP token:name (id), as in audit rows; over Kafka kafka:source, as long as its event is kept */
            publishedBy: string;
            /** @description Why it is rejected */
            reasons: components["schemas"]["PlanProblem"][] | null;
            revision: number;
            /** @enum {string} */
            state: "planning" | "awaiting-approval" | "in-force" | "rejected" | "superseded";
            /** Format: date-time */
            takenAt: string;
        };
        RevisionDifference: {
            cells: {
                changed: number;
                gone: number;
                late: number;
                new: number;
                same: number;
            };
            /** @description The first hundred cells that differ */
            changed: {
                cell: string;
                dueAfter: string | null;
                dueBefore: string | null;
                occurrence: string;
                /** @enum {string} */
                what: "same" | "changed" | "new" | "gone" | "late";
            }[];
            /** @description Occurrences that began while the revision looked: they keep the revision before */
            kept: string[];
            /** @description late: their message had gone, or may have, when the revision was planned: they stay as they are */
            requests: {
                changed: number;
                gone: number;
                late: number;
                new: number;
                same: number;
            };
            /** @description Requests that went while the revision took its place, instead of being changed */
            tooLate: number;
        };
        RevisionPreview: {
            /** @description Sends that the push service holds, and is asked to give back first */
            askedOfPushService: number;
            /** @description Sends that it replaces or takes back at once: those that have not left */
            atOnce: number;
            /** @description null: it cannot be planned */
            difference: components["schemas"]["RevisionDifference"] | null;
            /** @description When the first send of the revision is due; null: it makes none */
            firstDueAt: string | null;
            /** @description Sends whose answer is awaited: it decides */
            inFlight: number;
            /** @description Sends of the revision whose time has passed, by what its policy does with them */
            late: {
                /** @description Past what its lateness allows: it ends as expired */
                expire: number;
                /** @description Goes out late */
                send: number;
            };
            /** @description Why it would be rejected */
            reasons: components["schemas"]["PlanProblem"][];
            /** @description Sends that are gone, or may be, and stay as they are */
            tooLate: number;
            /**
             * @description What becomes of it once it is planned
             * @enum {string}
             */
            verdict: "takes-its-place" | "awaits-approval" | "rejected";
        };
        RevisionView: {
            /** @description How many ids a list had that is cut, by its JSON pointer in data */
            cut: {
                [key: string]: number;
            };
            /** @description The data of its event as it came, with at most three ids of each list of recipients */
            data: {
                [key: string]: unknown;
            };
            /** @description How its plan differed from the one in force when it was planned; null: it is the first, or is not planned yet */
            difference: components["schemas"]["RevisionDifference"] | null;
            /**
             * Format: uuid
             * @description The event that made it
             */
            event: string;
            /** @description Over its message, audience, delivery and policy: whoever approves it says which they saw */
            hash: string;
            /** @description What the devices of each type and language get */
            messages: {
                /** @description Of the request to the provider, without the token of the device */
                bytes: number;
                /** @enum {string} */
                deviceType: "GCM" | "APNS";
                /** @description Where the text stands in the data of the event; null: there is none */
                from: string | null;
                isTooLarge: boolean;
                /** @description null: every language without a text of its own */
                language: string | null;
                option: {
                    [key: string]: unknown;
                };
                text: string;
                title: string | null;
            }[];
            messageType: ("NOTIF" | "AD") | null;
            /** @description There are more than 100 */
            moreMessages: boolean;
            /** @description Its plan without the cells; null until it is planned */
            plan: {
                cells: number;
                load: {
                    /** @description Requests that the project's rate moves to after this minute */
                    backlog: number;
                    /** Format: date-time */
                    minute: string;
                    requests: number;
                }[];
                /**
                 * Format: date-time
                 * @description When the occurrences after these are planned
                 */
                nextLookAt?: string;
                policy: components["schemas"]["ShownPolicy"];
                totals: {
                    cells: number;
                    duplicates: number;
                    expectedEndAt: string | null;
                    expiredRequests: number;
                    fallbackRecipients: number | null;
                    firstDueAt: string | null;
                    invalidZones: {
                        [key: string]: number;
                    };
                    lastDueAt: string | null;
                    /** @description Ids in the fallback zone because their offset was not looked up */
                    provisional: number;
                    /** @description null where an audience is not made of ids */
                    recipients: number | null;
                    requests: number;
                    skippedRequests: number;
                };
                tzdata: {
                    source: string;
                    version: string;
                };
                warnings: components["schemas"]["PlanProblem"][];
            } | null;
            /** @description Over HTTP token:name (id), as in audit rows; over Kafka kafka:source, as long as its event is kept */
            publishedBy: string;
            /** @description Why it is rejected */
            reasons: components["schemas"]["PlanProblem"][] | null;
            revision: number;
            /** @enum {string} */
            state: "planning" | "awaiting-approval" | "in-force" | "rejected" | "superseded";
            /** Format: date-time */
            takenAt: string;
            /** @description The zone rules that moved its cells later: the difference is that from its own plan before */
            zoneRules: string | null;
        };
        /**
         * @example {
         *       "serviceId": "shop-app",
         *       "name": "Spring sale",
         *       "messageType": "AD",
         *       "audience": {
         *         "type": "CHANNEL",
         *         "to": [
         *           "vip"
         *         ]
         *       },
         *       "message": {
         *         "default": {
         *           "content": "(Ad) Our spring sale begins"
         *         }
         *       },
         *       "delivery": {
         *         "at": "2027-03-01T09:00",
         *         "zone": "recipient"
         *       },
         *       "policy": {
         *         "night": "defer",
         *         "passedZone": "skip"
         *       }
         *     }
         */
        ScheduledData: {
            /** @description Who gets it; required, unless segments say who does */
            audience?: components["schemas"]["Audience"] | null;
            /** @description When: exactly one of now, at and scheduleCode */
            delivery: components["schemas"]["Delivery"];
            /** @description What they get (push-interface.md, "2.4 Common message") */
            message: components["schemas"]["Message"];
            /** @description Notification or advertising [NOTIF] */
            messageType?: ("NOTIF" | "AD") | null;
            /** @description Shown to people */
            name?: string | null;
            /** @description Run exactly the plan that was previewed, or refuse (planning.md §9) */
            planHash?: string | null;
            /** @description The rules of delivery: see policy */
            policy?: components["schemas"]["Policy"] | null;
            /**
             * @description The push project
             * @example shop-app
             */
            serviceId: string;
            /** @description Shown to people */
            tags?: string[] | null;
        };
        ScheduledEvent: {
            data: components["schemas"]["ScheduledData"];
            /** @description A JSON media type */
            datacontenttype?: string | null;
            /**
             * @description With source and serviceId the idempotency key, for 30 days
             * @example spring-sale-1
             */
            id: string;
            /**
             * @description A URI reference; the project names the sources that it takes from Kafka
             * @example /shop/promotions
             */
            source: string;
            /** @constant */
            specversion: "1.0";
            /**
             * @description The campaignId, unique within the serviceId: 1 to 128 of A–Z a–z 0–9 . _ : -
             * @example spring-sale-2027
             */
            subject: string;
            /**
             * @description When the event was made, with its offset. Refused if it is more than 30 days ago or five minutes ahead, or not after the newest event taken for the campaign (SUPERSEDED); a stricter act may be up to a minute older. See Order of acts
             * @example 2027-03-01T00:00:00Z
             */
            time: string;
            /**
             * @description The trace that the event belongs to, as in W3C Trace Context; an invalid one counts as none, with a warning
             * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
             */
            traceparent?: string;
            /**
             * @description What tracing systems add to the trace; 512 characters are kept
             * @example congo=t61rcWkgMzE
             */
            tracestate?: string;
            /** @constant */
            type: "carillon.campaign.scheduled.v1";
        } & {
            [key: string]: unknown;
        };
        SearchResult: {
            /** @description false: only the newest campaigns were compared by name */
            complete: boolean;
            /** @description Exact ones first */
            items: {
                /** @description The member that has the text */
                by: string;
                /** @description The text is the whole value */
                exact: boolean;
                /** @description Ours; of a service or list its name; of an event our id of its campaign */
                id: string;
                /** @enum {string} */
                kind: "campaign" | "send" | "event" | "rejection" | "retries" | "resolves" | "service" | "list";
                name: string | null;
                serviceId: string | null;
                state: string | null;
            }[];
        };
        SeenEvent: {
            /** @description Our id of the campaign; null where the campaign is gone */
            campaignId: string | null;
            /**
             * Format: uuid
             * @description Our id of the event
             */
            eventId: string;
            /** Format: date-time */
            receivedAt: string;
            /** @description null where it could not be read, or the token did not hold it */
            serviceId: string | null;
            /** @constant */
            verdict: "accepted";
        } | {
            /** @description Our id of the campaign; null where the campaign is gone */
            campaignId: string | null;
            /**
             * Format: uuid
             * @description The eventId of the first arrival
             */
            duplicateOf: string;
            /**
             * Format: uuid
             * @description Our id of the event
             */
            eventId: string;
            /** Format: date-time */
            receivedAt: string;
            /** @description null where it could not be read, or the token did not hold it */
            serviceId: string | null;
            /** @constant */
            verdict: "duplicate";
        } | {
            /**
             * Format: uuid
             * @description Our id of the event
             */
            eventId: string;
            problems: components["schemas"]["Reason"][];
            /** Format: date-time */
            receivedAt: string;
            /** Format: uuid */
            rejectionId: string;
            /** @description null where it could not be read, or the token did not hold it */
            serviceId: string | null;
            /** @constant */
            verdict: "rejected";
        } | {
            campaignId: null;
            /**
             * Format: uuid
             * @description Our id of the event
             */
            eventId: string;
            /** Format: date-time */
            receivedAt: string;
            /** @description null where it could not be read, or the token did not hold it */
            serviceId: string | null;
            /**
             * Format: date-time
             * @description When it becomes a rejection, unless its campaign has come
             */
            until: string;
            /**
             * @description A command that waits for its campaign, which has not come yet
             * @constant
             */
            verdict: "parked";
        };
        SeenEvents: {
            id: string;
            /** @description Each arrival of the event, newest first; empty: it has not come yet, or is not for a service of the token */
            seen: components["schemas"]["SeenEvent"][];
            source: string;
        };
        /**
         * @example {
         *       "zone": "America/New_York",
         *       "audience": {
         *         "type": "ALL"
         *       }
         *     }
         */
        Segment: {
            /** @description Who lives there */
            audience: components["schemas"]["Audience"];
            /**
             * @description An IANA zone
             * @example America/New_York
             */
            zone: string;
        };
        Send: {
            answeredAt: string | null;
            attempts: number;
            /** Format: uuid */
            campaign: string;
            campaignId: string | null;
            cell: string;
            /** @description Number of its chunk of the cell's recipients */
            chunk: number;
            code: string | null;
            completeTime: string | null;
            /** Format: date-time */
            createdAt: string;
            detail: string | null;
            dueAt: string | null;
            gatewayStatus: string | null;
            /** @description The state that a cancel, pause or revision asked for and that it has not come to yet */
            goal: string | null;
            handedOffAt: string | null;
            /** @description When it is to leave, or has left; null where it never will */
            handOffAt: string | null;
            /** Format: uuid */
            id: string;
            intendedAt: string | null;
            /** @enum {string} */
            mode: "immediate" | "reserved" | "scheduled";
            /** @description Whether it is the send of its chunk that counts */
            newest: boolean;
            occurrence: string;
            /** @description How many ids; null for an audience not made of ids */
            recipients: number | null;
            /** @description The push service's */
            requestId: string | null;
            retries: number;
            retryOf: string | null;
            revision: number;
            /**
             * @description Why this mode
             * @enum {string}
             */
            rule: "SCHEDULE_CODE" | "DUE_NOW" | "HELD_BY_POLICY" | "SUB_MINUTE" | "TOO_CLOSE_TO_RESERVE" | "BEYOND_HORIZON" | "RESERVABLE";
            scheduleCode: string | null;
            /** @description Devices that a provider took */
            sent: number | null;
            serviceId: string;
            state: components["schemas"]["SendState"];
            /** Format: date-time */
            stateAt: string;
            stateBy: string;
            /** @description Devices */
            target: number | null;
            zone: string | null;
        };
        /** @enum {string} */
        SendState: "planned" | "sending" | "accepted" | "reserved" | "scheduled" | "canceling" | "held" | "uncertain" | "sent" | "failed" | "empty" | "stale" | "rejected" | "canceled" | "expired" | "skipped" | "superseded";
        SendWithHistory: {
            answeredAt: string | null;
            attempts: number;
            /** Format: uuid */
            campaign: string;
            campaignId: string | null;
            cell: string;
            /** @description Number of its chunk of the cell's recipients */
            chunk: number;
            code: string | null;
            completeTime: string | null;
            /** Format: date-time */
            createdAt: string;
            detail: string | null;
            dueAt: string | null;
            gatewayStatus: string | null;
            /** @description The state that a cancel, pause or revision asked for and that it has not come to yet */
            goal: string | null;
            handedOffAt: string | null;
            /** @description When it is to leave, or has left; null where it never will */
            handOffAt: string | null;
            history: components["schemas"]["Change"][];
            /** Format: uuid */
            id: string;
            intendedAt: string | null;
            /** @enum {string} */
            mode: "immediate" | "reserved" | "scheduled";
            /** @description Whether it is the send of its chunk that counts */
            newest: boolean;
            occurrence: string;
            /** @description How many ids; null for an audience not made of ids */
            recipients: number | null;
            /** @description The push service's */
            requestId: string | null;
            retries: number;
            retryOf: string | null;
            revision: number;
            /**
             * @description Why this mode
             * @enum {string}
             */
            rule: "SCHEDULE_CODE" | "DUE_NOW" | "HELD_BY_POLICY" | "SUB_MINUTE" | "TOO_CLOSE_TO_RESERVE" | "BEYOND_HORIZON" | "RESERVABLE";
            scheduleCode: string | null;
            /** @description Devices that a provider took */
            sent: number | null;
            serviceId: string;
            /** @description Only a standing message: what it had come to at the end of each UTC day */
            standing?: components["schemas"]["StandingDay"][];
            state: components["schemas"]["SendState"];
            /** Format: date-time */
            stateAt: string;
            stateBy: string;
            /** @description Devices */
            target: number | null;
            /** @description Answers that the database refused to store */
            unwritten?: components["schemas"]["UnwrittenAnswer"][];
            zone: string | null;
        };
        Service: {
            /**
             * @description required: each of its campaigns waits until another token approves it than the one that published it
             * @enum {string}
             */
            approval: "none" | "required";
            /** @description Why nothing leaves for it now, as a code; null: it is not blocked */
            blocked: string | null;
            /** @description Shown where no zone is named, and the fallback of recipients without one */
            defaultZone: string;
            /** @description User ids in one request */
            maxTo: number;
            /** @description Members of an event's policy, as a publisher would write them */
            policyDefaults: {
                [key: string]: unknown;
            };
            /** @description Country to zone, for countries with several */
            principalZones: {
                [key: string]: string;
            };
            /** @description Requests a second, all processes together */
            ratePerSecond: number;
            /** @description Whether its gateway takes reservations */
            reservations: boolean;
            serviceId: string;
        };
        Session: {
            /** @description Seconds of that clock in a real one: 1, or more in a sandbox */
            clockRate: number;
            /** @description What a request of this session that changes something has as x-csrf; null: a bearer token */
            csrf: string | null;
            /**
             * Format: date-time
             * @description When the token expires
             */
            expiresAt: string;
            /**
             * Format: date-time
             * @description By the clock of this server
             */
            now: string;
            roles: ("publisher" | "analyst" | "operator" | "admin")[];
            /** @description * holds every serviceId */
            serviceIds: string[];
            /** @description The name of the token */
            token: string;
            /** @description The release of the time zone database that it plans by */
            tzdata: string;
            version: string;
        };
        SettledRejection: {
            /** @description Of its body */
            bytes: number;
            /** @description false: it was already settled in this way */
            changed: boolean;
            /**
             * Format: uuid
             * @description Our id of the event that was refused
             */
            eventId: string;
            /** Format: uuid */
            id: string;
            offset: string | null;
            partition: number | null;
            problems: components["schemas"]["Reason"][];
            /** @description Why it was discarded, where somebody said so */
            reason: string | null;
            /** Format: date-time */
            rejectedAt: string;
            /** @description The event that was taken in its place, and its campaign; both ids are ours */
            replay: {
                campaignId: string | null;
                /** Format: uuid */
                eventId: string;
            } | null;
            /** @description The rejection that this event was a replay of */
            replayOf: string | null;
            /** @description The envelope, as far as it could be read */
            seen: {
                id: string | null;
                source: string | null;
                subject: string | null;
                time: string | null;
                type: string | null;
            };
            /** @description null where it could not be read, or the token did not hold it */
            serviceId: string | null;
            settledAt: string | null;
            settledBy: string | null;
            /** @enum {string} */
            state: "open" | "replayed" | "discarded";
            topic: string | null;
            /** @enum {string} */
            via: "kafka" | "http";
        };
        /** @description The policy by which the cells were planned, with all defaults */
        ShownPolicy: {
            /** @description required: it is planned and shown, and nothing leaves before somebody approves it [none] */
            approval?: ("none" | "required") | null;
            /** @description ISO 8601 duration after the intended instant, at most a year [P1D]: nothing leaves later than that */
            deadline?: string | null;
            /** @description For wall times around a change of the clock */
            dst?: {
                /** @description A wall time that does not exist [forward] */
                gap?: ("forward" | "skip" | "reject") | null;
                /** @description One that exists twice [first] */
                overlap?: ("first" | "second" | "reject") | null;
            } | null;
            /** @description reserve: hand off as soon as the push service takes a reservation; hold: hand off when it is due [reserve] */
            handoff?: ("reserve" | "hold") | null;
            /** @description ISO 8601 duration without months or years [PT0S]: spreads zones that fall on the same instant */
            jitter?: string | null;
            /** @description For sends that the scheduler could not hand off at their due: it was down, throttled or blocked */
            lateness?: {
                /** @description ISO 8601 duration without months or years [PT30M] */
                max?: string | null;
                /** @description What happens to a send that is later than max [expire] */
                then?: ("expire" | "send") | null;
            } | null;
            /** @description For AD, from 21:00 to 08:00 on the recipient's clock [consented]: the push service leaves out users without night consent; defer to 08:00; skip */
            night?: ("consented" | "defer" | "skip") | null;
            /** @description Requests of this campaign a minute, spread evenly; none switches a project's default off */
            pace?: ({
                /**
                 * @description Requests
                 * @example 6000
                 */
                perMinute: number;
            } | "none") | null;
            /** @description For zones where the wall time is already over [skip]: skip, send-now, next-day, reject, or floor:<zone>: the instant of that wall time in the zone */
            passedZone?: string | null;
            /** @description A daily window on the recipient's clock, for any messageType; none switches a project's default off */
            quietHours?: ({
                /**
                 * @description Defer to the end of the window, or skip
                 * @example defer
                 * @enum {string}
                 */
                action: "defer" | "skip";
                /**
                 * @description HH:mm
                 * @example 21:00
                 */
                end: string;
                /**
                 * @description HH:mm
                 * @example 21:00
                 */
                start: string;
            } | "none") | null;
            /** @description A send for each value, so that reports show them separately; country needs audience.country */
            split?: ("deviceType" | "country")[] | null;
            /** @description User ids that get it at once, as a test, before it is approved and outside its reports; the push service still leaves out who did not consent */
            testTo?: string[] | null;
        };
        /** @description Nearest-rank percentiles of a length in milliseconds; all null where nothing was measured */
        Spread: {
            count: number;
            maxMs: number | null;
            p50Ms: number | null;
            p95Ms: number | null;
            p99Ms: number | null;
        };
        StandingDay: {
            /**
             * Format: date-time
             * @description When they were read last on that day
             */
            at: string;
            /** @description YYYY-MM-DD, UTC */
            day: string;
            /** @description Cumulative */
            sent: number | null;
            /** @description Cumulative */
            target: number | null;
        };
        Status: {
            /** Format: date-time */
            asOf: string;
            /** @description What needs a person, the most severe first */
            needs: components["schemas"]["StatusCause"][];
            /** @description What somebody should know, and need not act on */
            notes: components["schemas"]["StatusCause"][];
            projects: components["schemas"]["ProjectStatus"][];
            sentence: string;
            system: {
                /** @description Days ahead that have partitions */
                daysAhead: number;
                /** @description null: DATABASE_DISK_GB is not set, or nothing grows */
                daysUntilDiskFull: number | null;
                /** @description Records that wait in each partition; null: there are no brokers, or they do not answer */
                kafka: {
                    lag: number;
                    partition: number;
                    topic: string;
                }[] | null;
                /** @description Of the process that answers; the errors only for a token for all services */
                loops: {
                    error: string | null;
                    name: string;
                    ok: boolean;
                }[];
                /** @description Dead letters */
                outbox: {
                    oldestSeconds: number | null;
                    waiting: components["schemas"]["Counted"];
                };
                /** @description How far each consumer of the log of outcomes is behind */
                outcomes: {
                    /** @description Seconds */
                    behindSeconds: number;
                    consumer: string;
                }[];
                /** @description Processes that dispatch */
                replicas: {
                    live: number;
                    unheard: number;
                };
                /** @description Webhooks that nothing has reached for a day; only for a token for all services */
                webhooksFailing: {
                    id: string;
                    /** Format: date-time */
                    since: string;
                }[];
                zoneRules: {
                    version: string;
                    yearsBehind: number | null;
                };
            };
            /** @description Nothing needs a person */
            well: boolean;
        };
        StatusCause: {
            /** @description Who has taken it up; it ends only with its cause */
            acknowledged: {
                /** Format: date-time */
                at: string;
                by: string;
            } | null;
            /** @description null: it is not an alert yet */
            alertId: string | null;
            /** @enum {string} */
            cause: "FAILURES" | "UNCERTAIN" | "LATE" | "QUOTA" | "BLOCKED" | "KEY_REFUSED" | "CIRCUIT" | "GATEWAY_UNREACHABLE" | "STOPPED" | "REJECTIONS" | "DAYS_AHEAD" | "DISK" | "CLOCK" | "REPLICA_UNHEARD" | "BACKLOG" | "CREDENTIAL_MISSING" | "DEADLINE_AHEAD" | "LEDGER_OUT_OF_BALANCE" | "ZONE_RULES_OLD";
            /** @description What was found */
            detail: string;
            /** @description In `unit` */
            figure: number | null;
            nextStep: string;
            /** @description The page and heading that say more */
            runbook: string;
            /** @description null: the whole installation */
            serviceId: string | null;
            /**
             * @description note: nobody has to act; warning: act today; critical: messages do not leave
             * @enum {string}
             */
            severity: "note" | "warning" | "critical";
            /**
             * Format: date-time
             * @description When its alert began; while there is none yet, when this was read
             */
            since: string;
            /** @description What the cause means */
            text: string;
            unit: string;
        };
        StoppedProject: {
            /** @description What a stop alone does not hold back */
            atPushService: {
                /** @description Sends whose answer is awaited, those that are being asked back among them */
                inFlight: number;
                /** @description When the first of the reservations is due */
                next: string | null;
                /** @description Sends that the push service holds, and delivers at their time unless they are recalled */
                reservations: number;
                /** @description Sends under a schedule of the push service: it delivers each firing */
                standing: number;
            };
            /** @description Why no process calls it now */
            blocked: {
                /** @description Who stopped it; null: nobody did, the gateway or a fault blocks it */
                by: string | null;
                code: string;
                /** @description The gateway's own words, where the gateway is the reason; of a stop the reason that was given */
                detail: string | null;
                /** @description When the block with this code began */
                since: string | null;
                /** @description null: until an operator starts it */
                until: string | null;
            } | null;
            /** @description false: it stood so before, or this is a preview */
            changed: boolean;
            /** @description Sends that have not left: none of them leaves while the project is stopped */
            held: number;
            /** @description It was stopped with a recall: what the push service holds is asked back */
            recalled: boolean;
            serviceId: string;
        };
        StoppedProjects: {
            /** @description Those of the token, in order of serviceId */
            projects: components["schemas"]["StoppedProject"][];
        };
        StoredCell: {
            cell: string;
            country: string;
            /** @enum {string} */
            deviceType: "all" | "GCM" | "APNS";
            dueAt: string | null;
            handOffAt: string | null;
            intendedAt: string | null;
            local: {
                /** @description The wall time asked for */
                asked: string | null;
                /** @description The wall time in the zone when it is due */
                reading: {
                    date: string;
                    offset: string;
                    time: string;
                    weekday: string;
                };
            } | null;
            mode: ("immediate" | "reserved" | "scheduled") | null;
            occurrence: string;
            /** @description Changes of its zone's clock on the local day when it is due */
            offsetChanges: components["schemas"]["OffsetChange"][];
            recipients: number | null;
            requests: number;
            revision: number;
            /** @description Why this mode */
            rule: ("SCHEDULE_CODE" | "DUE_NOW" | "HELD_BY_POLICY" | "SUB_MINUTE" | "TOO_CLOSE_TO_RESERVE" | "BEYOND_HORIZON" | "RESERVABLE") | null;
            /** @description Number of the event's segment, from 1; 0: none */
            segment: number;
            /** @description The newest send of every chunk, counted by state */
            sends: {
                [key: string]: number;
            };
            /** @description It has more sends than are counted for a cell of a page */
            sendsAtLeast: boolean;
            /** @description Why none of its requests leaves */
            skipped: ("DST_GAP" | "PASSED_ZONE" | "NIGHT" | "QUIET_HOURS" | "DEADLINE" | "REJECTED_BY_POLICY") | null;
            /** @description The request's target, without the ids of a USER audience */
            target: {
                country?: string[] | null;
                deviceType?: ("GCM" | "APNS") | null;
                /** @description Registered offsets, seconds from UTC */
                timezone?: number[] | null;
                to?: string[] | null;
                /** @enum {string} */
                type: "ALL" | "CHANNEL" | "USER";
            };
            verdicts: components["schemas"]["Verdicts"];
            zone: string;
            /** @enum {string} */
            zoneSource: "given" | "directory" | "registered-offset" | "country" | "fallback" | "delivery" | "project";
        };
        StoredPlan: {
            /** Format: uuid */
            campaign: string;
            campaignId: string;
            cells?: number;
            items: components["schemas"]["StoredCell"][];
            /** @description The occurrences to come within 35 days that are not planned yet, at most 100: their cells are decided PLAN_AHEAD_HOURS before */
            later: string[];
            load?: {
                /** @description Requests that the project's rate moves to after this minute */
                backlog: number;
                /** Format: date-time */
                minute: string;
                requests: number;
            }[];
            /** @description Where the next page begins; null on the last */
            nextCursor: string | null;
            /**
             * Format: date-time
             * @description When the occurrences after these are planned
             */
            nextLookAt?: string;
            policy?: components["schemas"]["ShownPolicy"];
            /** @description Why planning refused the campaign */
            refusal: components["schemas"]["PlanProblem"] | null;
            revision: number;
            state: ("planning" | "awaiting-approval" | "in-force" | "rejected" | "superseded") | null;
            totals?: {
                cells: number;
                duplicates: number;
                expectedEndAt: string | null;
                expiredRequests: number;
                fallbackRecipients: number | null;
                firstDueAt: string | null;
                invalidZones: {
                    [key: string]: number;
                };
                lastDueAt: string | null;
                /** @description Ids in the fallback zone because their offset was not looked up */
                provisional: number;
                /** @description null where an audience is not made of ids */
                recipients: number | null;
                requests: number;
                skippedRequests: number;
            };
            tzdata?: {
                source: string;
                version: string;
            };
            warnings?: components["schemas"]["PlanProblem"][];
        };
        SummaryComparison: {
            balanced: boolean | null;
            /** @description The other campaign, where it is known */
            campaign: {
                campaignId: string;
                /** Format: uuid */
                id: string;
                name: string | null;
                serviceId: string;
            } | null;
            final: boolean | null;
            /** @description Due at or after it … */
            from: string | null;
            /** @description … and before it, on the other side */
            to: string | null;
            with: "week-before" | string;
        };
        SummaryReport: {
            /** Format: date-time */
            asOf: string;
            /** @description Both sides of the totals agree and, on a page with all rows, the totals are the sums of the rows */
            balanced: boolean;
            comparison?: components["schemas"]["SummaryComparison"];
            /** @description No figure changes any more by itself: all sends have ended, and `to` is past */
            final: boolean;
            groupBy: ("minute" | "hour" | "day" | "localHour" | "zone" | "country" | "deviceType" | "language" | "mode" | "project" | "campaign" | "code")[];
            nextCursor: string | null;
            rows: components["schemas"]["SummaryRow"][];
            /** @description The totals of all rows, not only of those on the page */
            totals: components["schemas"]["SummaryTotals"];
        };
        SummaryRow: {
            /** @description Both sides of devices and of sends agree */
            balanced: boolean;
            /** @description Only where groupBy names campaign, whose key is our id */
            campaign?: {
                campaignId: string;
                name: string | null;
            };
            /** @description The other side, where compareWith asks for it; null: notCompared says why */
            compared?: components["schemas"]["ComparedSummaryRow"] | null;
            /** @description pending: no final result yet; unknown: the send is uncertain */
            devices: {
                [key: string]: number;
            };
            /** @description All of its sends have ended */
            final: boolean;
            /** @description The value of each key of groupBy; null: there is none, as a standing message has no due */
            key: {
                [key: string]: string | null;
            };
            /** @description Why there is no other side: it is no longer kept, it is kept only in sums over longer times, or the campaign is not known (any more) */
            notCompared?: ("PAST_RETENTION" | "KEPT_COARSER" | "NO_SUCH_CAMPAIGN") | null;
            /** @description Why sends did not end as sent: left out, expired, failed, nobody to send to; the most frequent first */
            reasons: {
                code: string | null;
                sends: number;
                /** @enum {string} */
                state: "planned" | "sending" | "accepted" | "reserved" | "scheduled" | "canceling" | "held" | "uncertain" | "sent" | "failed" | "empty" | "stale" | "rejected" | "canceled" | "expired" | "skipped" | "superseded";
            }[];
            /** @description Where groupBy names deviceType, country or language, or reported=true */
            reported?: components["schemas"]["Reported"];
            /** @description planned: the requests; each counts as one of the other terms */
            sends: {
                [key: string]: number;
            };
            /** @description Devices that a provider took, of those targeted */
            sentRate: components["schemas"]["Rate"];
        };
        SummaryTotals: {
            /** @description Both sides of devices and of sends agree */
            balanced: boolean;
            /** @description The other side, where compareWith asks for it; null: notCompared says why */
            compared?: components["schemas"]["ComparedSummaryTotals"] | null;
            /** @description pending: no final result yet; unknown: the send is uncertain */
            devices: {
                [key: string]: number;
            };
            /** @description All of its sends have ended */
            final: boolean;
            /** @description Why there is no other side: it is no longer kept, it is kept only in sums over longer times, or the campaign is not known (any more) */
            notCompared?: ("PAST_RETENTION" | "KEPT_COARSER" | "NO_SUCH_CAMPAIGN") | null;
            /** @description Why sends did not end as sent: left out, expired, failed, nobody to send to; the most frequent first */
            reasons: {
                code: string | null;
                sends: number;
                /** @enum {string} */
                state: "planned" | "sending" | "accepted" | "reserved" | "scheduled" | "canceling" | "held" | "uncertain" | "sent" | "failed" | "empty" | "stale" | "rejected" | "canceled" | "expired" | "skipped" | "superseded";
            }[];
            /** @description Where groupBy names deviceType, country or language, or reported=true */
            reported?: components["schemas"]["Reported"];
            /** @description planned: the requests; each counts as one of the other terms */
            sends: {
                [key: string]: number;
            };
            /** @description Devices that a provider took, of those targeted */
            sentRate: components["schemas"]["Rate"];
        };
        Token: {
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
            /** Format: uuid */
            id: string;
            lastUsedAt: string | null;
            name: string;
            revokedAt: string | null;
            roles: ("publisher" | "analyst" | "operator" | "admin")[];
            /** @description * holds every serviceId */
            serviceIds: string[];
            /** @description The sources of events over HTTP, exact or as prefix/*; empty: any, which only a token for all services may have */
            sources: string[];
        };
        UnwrittenAnswer: {
            /** Format: date-time */
            at: string;
            attempt: number;
            /** @description SQLSTATE of the refusal */
            code: string | null;
            error: string;
            /** @description The row of the answer that was to be written */
            facts: {
                [key: string]: unknown;
            };
        };
        UploadedList: {
            /** @description Its ids by zone, the largest first; without those whose zone is none */
            byZone: {
                rows: number;
                /** @description Null: none was given */
                zone: string | null;
            }[];
            /**
             * @description SHA-256 of the body, unpacked
             * @example 3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f
             */
            contentDigest: string;
            /** @description Rows that named an id again: the first counts */
            duplicates: number;
            /**
             * Format: date-time
             * @description Until then campaigns may be published to it
             */
            expiresAt: string;
            /** @description Names that are no IANA zones; their ids go by the fallback */
            invalidZones: {
                /** @description The zone that was meant, perhaps */
                near?: string;
                rows: number;
                value: string;
            }[];
            /** @example vip-2027 */
            name: string;
            /** @description Its ids, each once */
            rows: number;
            serviceId: string;
            /** @description The version before had the same content: it stays, until expiresAt */
            unchanged: boolean;
            /**
             * Format: uuid
             * @description The version that counts now
             * @example 01936d5c-7a00-7000-8000-000000000001
             */
            version: string;
        };
        /** @description Every decision about the cell, with its reason */
        Verdicts: {
            deadlineAt: string | null;
            /**
             * @description Whether the wall time asked for exists once, twice or not at all in the zone
             * @enum {string}
             */
            dst: "exact" | "moved-forward" | "first" | "second" | "skipped" | "rejected";
            expired?: {
                lateMs: number;
            };
            /** @enum {string} */
            fallback?: "INVALID_ZONE" | "ZONE_UNKNOWN";
            jitterMs: number;
            /** @description The due of its last request */
            lastDueAt: string | null;
            /** @description Later than lateness.max; it goes all the same */
            late?: {
                lateMs: number;
            };
            night: {
                /** @description HH:mm of `to`, where the clock change skips the window's end */
                afterGap?: string;
                kind: string;
                /** @description Where it was moved to */
                to?: string | null;
            };
            /** @description Requests that a pace puts into the night, to those who consented */
            nightRequests?: number;
            paceMs: number;
            passedZone: {
                /** @description HH:mm of `to`, where the clock change skips the window's end */
                afterGap?: string;
                kind: string;
                /** @description Where it was moved to */
                to?: string | null;
            };
            quietHours: {
                /** @description HH:mm of `to`, where the clock change skips the window's end */
                afterGap?: string;
                kind: string;
                /** @description Where it was moved to */
                to?: string | null;
            };
            skippedRequests?: {
                [key: string]: number;
            };
        };
        Webhook: {
            /** @description null: all */
            causes: ("FAILURES" | "UNCERTAIN" | "LATE" | "QUOTA" | "BLOCKED" | "KEY_REFUSED" | "CIRCUIT" | "GATEWAY_UNREACHABLE" | "STOPPED" | "REJECTIONS" | "DAYS_AHEAD" | "DISK" | "CLOCK" | "REPLICA_UNHEARD" | "BACKLOG" | "CREDENTIAL_MISSING" | "DEADLINE_AHEAD" | "LEDGER_OUT_OF_BALANCE" | "ZONE_RULES_OLD")[] | null;
            /** Format: date-time */
            createdAt: string;
            createdBy: string;
            /** @description When a message was taken last */
            deliveredAt: string | null;
            /** @description Since when no try got through; null: the last one did */
            failingSince: string | null;
            id: string;
            lastError: string | null;
            /** @description null: all, and the whole installation */
            services: string[] | null;
            url: string;
        };
        WebhookTest: {
            error: string | null;
            status: number | null;
            taken: boolean;
        };
        Zones: {
            items: {
                /** @description Ahead of UTC now */
                offsetSeconds: number;
                /** @description An IANA name */
                zone: string;
            }[];
            /** Format: date-time */
            now: string;
            /** @description The release of the time zone database */
            tzdata: string;
        };
    };
    responses: {
        /** @description INVALID_REQUEST, TWO_CREDENTIALS, MALFORMED_BODY, NOT_STORABLE, BAD_IDEMPOTENCY_KEY */
        Refused_400_1: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Bad Request",
                 *       "status": 400,
                 *       "code": "INVALID_REQUEST",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description INVALID_REQUEST, BAD_CURSOR, TWO_CREDENTIALS */
        Refused_400_2: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Bad Request",
                 *       "status": 400,
                 *       "code": "INVALID_REQUEST",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description INVALID_REQUEST, TWO_CREDENTIALS */
        Refused_400_3: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Bad Request",
                 *       "status": 400,
                 *       "code": "INVALID_REQUEST",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description INVALID_REQUEST */
        Refused_400_4: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Bad Request",
                 *       "status": 400,
                 *       "code": "INVALID_REQUEST",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description INVALID_REQUEST, TWO_CREDENTIALS, MALFORMED_BODY, NOT_STORABLE */
        Refused_400_5: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Bad Request",
                 *       "status": 400,
                 *       "code": "INVALID_REQUEST",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description NOT_UTF8, NOT_JSON, NOT_A_BATCH, EMPTY_BATCH, INVALID_REQUEST, TWO_CREDENTIALS, MALFORMED_BODY, NOT_STORABLE, BAD_IDEMPOTENCY_KEY */
        Refused_400_6: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Bad Request",
                 *       "status": 400,
                 *       "code": "NOT_UTF8",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description INVALID_RANGE, INVALID_REQUEST, TWO_CREDENTIALS */
        Refused_400_7: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Bad Request",
                 *       "status": 400,
                 *       "code": "INVALID_RANGE",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description BROKEN_BODY, INVALID_REQUEST, TWO_CREDENTIALS, MALFORMED_BODY, NOT_STORABLE */
        Refused_400_8: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Bad Request",
                 *       "status": 400,
                 *       "code": "BROKEN_BODY",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description NOT_A_MERGE_PATCH, INVALID_REQUEST, TWO_CREDENTIALS, MALFORMED_BODY, NOT_STORABLE, BAD_IDEMPOTENCY_KEY */
        Refused_400_9: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Bad Request",
                 *       "status": 400,
                 *       "code": "NOT_A_MERGE_PATCH",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description INVALID_REQUEST, BAD_CURSOR, TWO_CREDENTIALS, MALFORMED_BODY, NOT_STORABLE */
        Refused_400_10: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Bad Request",
                 *       "status": 400,
                 *       "code": "INVALID_REQUEST",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description TLS_NEEDED, INVALID_REQUEST, MALFORMED_BODY, NOT_STORABLE */
        Refused_400_11: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Bad Request",
                 *       "status": 400,
                 *       "code": "TLS_NEEDED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description ADDRESS_REFUSED, INVALID_REQUEST, TWO_CREDENTIALS, MALFORMED_BODY, NOT_STORABLE, BAD_IDEMPOTENCY_KEY */
        Refused_400_12: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Bad Request",
                 *       "status": 400,
                 *       "code": "ADDRESS_REFUSED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description UNAUTHENTICATED */
        Refused_401_1: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Unauthorized",
                 *       "status": 401,
                 *       "code": "UNAUTHENTICATED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description ROLE_MISSING, FOREIGN_REQUEST */
        Refused_403_1: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Forbidden",
                 *       "status": 403,
                 *       "code": "ROLE_MISSING",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description ROLE_MISSING */
        Refused_403_2: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Forbidden",
                 *       "status": 403,
                 *       "code": "ROLE_MISSING",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description SERVICE_NOT_HELD, ALL_SERVICES_NEEDED, ROLE_MISSING, FOREIGN_REQUEST */
        Refused_403_3: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Forbidden",
                 *       "status": 403,
                 *       "code": "SERVICE_NOT_HELD",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description ALL_SERVICES_NEEDED, BEYOND_BOUNDS, ROLE_MISSING, FOREIGN_REQUEST */
        Refused_403_4: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Forbidden",
                 *       "status": 403,
                 *       "code": "ALL_SERVICES_NEEDED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description FOREIGN_REQUEST */
        Refused_403_5: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Forbidden",
                 *       "status": 403,
                 *       "code": "FOREIGN_REQUEST",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description SERVICE_NOT_HELD, ROLE_MISSING */
        Refused_403_6: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Forbidden",
                 *       "status": 403,
                 *       "code": "SERVICE_NOT_HELD",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description SERVICE_NOT_HELD, ROLE_MISSING, FOREIGN_REQUEST */
        Refused_403_7: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Forbidden",
                 *       "status": 403,
                 *       "code": "SERVICE_NOT_HELD",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description ALL_SERVICES_NEEDED, ROLE_MISSING */
        Refused_403_8: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Forbidden",
                 *       "status": 403,
                 *       "code": "ALL_SERVICES_NEEDED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description ALL_SERVICES_NEEDED, ROLE_MISSING, FOREIGN_REQUEST */
        Refused_403_9: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Forbidden",
                 *       "status": 403,
                 *       "code": "ALL_SERVICES_NEEDED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description NOT_FOUND */
        Refused_404_1: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Not Found",
                 *       "status": 404,
                 *       "code": "NOT_FOUND",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description CAMPAIGN_CLOSED, IDEMPOTENT_REQUEST_RUNNING */
        Refused_409_1: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "code": "CAMPAIGN_CLOSED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description CAMPAIGN_CLOSED, OCCURRENCE_CLOSED, OCCURRENCE_TOO_FAR, IDEMPOTENT_REQUEST_RUNNING */
        Refused_409_2: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "code": "CAMPAIGN_CLOSED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description IDEMPOTENT_REQUEST_RUNNING */
        Refused_409_3: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "code": "IDEMPOTENT_REQUEST_RUNNING",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description CAMPAIGN_CLOSED, NOT_PLANNED_YET, REVISION_CHANGED, HASH_DIFFERS, SAME_HAND, IDEMPOTENT_REQUEST_RUNNING */
        Refused_409_4: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "code": "CAMPAIGN_CLOSED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description CAMPAIGN_CLOSED, NOT_PLANNED_YET, APPROVED_ALREADY, IDEMPOTENT_REQUEST_RUNNING */
        Refused_409_5: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "code": "CAMPAIGN_CLOSED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description PLAN_CHANGED, IDEMPOTENT_REQUEST_RUNNING */
        Refused_409_6: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "code": "PLAN_CHANGED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description UPLOAD_UNDER_WAY, UPLOAD_CALLED_OFF */
        Refused_409_7: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "code": "UPLOAD_UNDER_WAY",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description PROJECT_BLOCKED, CAMPAIGN_CANCELED, OCCURRENCE_CANCELED, NOT_APPROVED, ALREADY_RETRIED, NOT_RETRYABLE, RECIPIENT_ERASED, MAX_RETRIES, PAST_RETENTION, DELIVERED_TO_SOME, RESULT_NOT_FINAL, IDEMPOTENT_REQUEST_RUNNING */
        Refused_409_8: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "code": "PROJECT_BLOCKED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description NOT_UNCERTAIN, REQUEST_ID_NEEDED, IDEMPOTENT_REQUEST_RUNNING */
        Refused_409_9: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "code": "NOT_UNCERTAIN",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description CAMPAIGN_CLOSED, REVISION_CHANGED, IDEMPOTENT_REQUEST_RUNNING */
        Refused_409_10: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "code": "CAMPAIGN_CLOSED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description CAMPAIGN_CLOSED */
        Refused_409_11: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "code": "CAMPAIGN_CLOSED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description PROJECT_EXISTS, IDEMPOTENT_REQUEST_RUNNING */
        Refused_409_12: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "code": "PROJECT_EXISTS",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description LAST_KEY */
        Refused_409_13: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "code": "LAST_KEY",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description PROJECT_BLOCKED, IDEMPOTENT_REQUEST_RUNNING */
        Refused_409_14: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "code": "PROJECT_BLOCKED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description REJECTION_CLOSED, IDEMPOTENT_REQUEST_RUNNING */
        Refused_409_15: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "code": "REJECTION_CLOSED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description PREVIEW_EXPIRED, PREVIEW_NOT_READY, IDEMPOTENT_REQUEST_RUNNING */
        Refused_409_16: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "code": "PREVIEW_EXPIRED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description TOKEN_NAME_TAKEN, IDEMPOTENT_REQUEST_RUNNING */
        Refused_409_17: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "code": "TOKEN_NAME_TAKEN",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description PAST_RETENTION */
        Refused_410_1: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Gone",
                 *       "status": 410,
                 *       "code": "PAST_RETENTION",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description BODY_TOO_LARGE */
        Refused_413_1: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Payload Too Large",
                 *       "status": 413,
                 *       "code": "BODY_TOO_LARGE",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description TOO_LARGE, TOO_MANY_EVENTS, BODY_TOO_LARGE */
        Refused_413_2: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Payload Too Large",
                 *       "status": 413,
                 *       "code": "TOO_LARGE",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description TOO_MANY_ROWS, BODY_TOO_LARGE */
        Refused_413_3: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Payload Too Large",
                 *       "status": 413,
                 *       "code": "TOO_MANY_ROWS",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description TOO_LARGE, BODY_TOO_LARGE */
        Refused_413_4: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Payload Too Large",
                 *       "status": 413,
                 *       "code": "TOO_LARGE",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description URL_TOO_LONG */
        Refused_414_1: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "URI Too Long",
                 *       "status": 414,
                 *       "code": "URL_TOO_LONG",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description UNSUPPORTED_MEDIA_TYPE */
        Refused_415_1: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Unsupported Media Type",
                 *       "status": 415,
                 *       "code": "UNSUPPORTED_MEDIA_TYPE",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description IDEMPOTENCY_KEY_REUSED */
        Refused_422_1: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Unprocessable Entity",
                 *       "status": 422,
                 *       "code": "IDEMPOTENCY_KEY_REUSED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description NOTHING_TAKEN, IDEMPOTENCY_KEY_REUSED */
        Refused_422_2: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Unprocessable Entity",
                 *       "status": 422,
                 *       "code": "NOTHING_TAKEN",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description TOO_MANY_STEPS */
        Refused_422_3: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Unprocessable Entity",
                 *       "status": 422,
                 *       "code": "TOO_MANY_STEPS",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description INVALID_ROWS, TOO_MANY_ZONES, EMPTY_LIST */
        Refused_422_4: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Unprocessable Entity",
                 *       "status": 422,
                 *       "code": "INVALID_ROWS",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description EVENT_REJECTED, IDEMPOTENCY_KEY_REUSED */
        Refused_422_5: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Unprocessable Entity",
                 *       "status": 422,
                 *       "code": "EVENT_REJECTED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description EVENT_REJECTED */
        Refused_422_6: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Unprocessable Entity",
                 *       "status": 422,
                 *       "code": "EVENT_REJECTED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description INVALID_ROWS, TOO_MANY_ZONES */
        Refused_422_7: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Unprocessable Entity",
                 *       "status": 422,
                 *       "code": "INVALID_ROWS",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description BUDGET_SPENT */
        Refused_429_1: {
            headers: {
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "retry-after": components["headers"]["retry-after"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Too Many Requests",
                 *       "status": 429,
                 *       "code": "BUDGET_SPENT",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description RATE_USED_UP, BUDGET_SPENT */
        Refused_429_2: {
            headers: {
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "retry-after": components["headers"]["retry-after"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Too Many Requests",
                 *       "status": 429,
                 *       "code": "RATE_USED_UP",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description TOO_MANY_SIGN_INS */
        Refused_429_3: {
            headers: {
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "retry-after": components["headers"]["retry-after"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Too Many Requests",
                 *       "status": 429,
                 *       "code": "TOO_MANY_SIGN_INS",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description TOO_MANY_STREAMS, BUDGET_SPENT */
        Refused_429_4: {
            headers: {
                "ratelimit-limit": components["headers"]["ratelimit-limit"];
                "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                "ratelimit-reset": components["headers"]["ratelimit-reset"];
                "retry-after": components["headers"]["retry-after"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Too Many Requests",
                 *       "status": 429,
                 *       "code": "TOO_MANY_STREAMS",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description INTERNAL */
        Refused_500_1: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Internal Server Error",
                 *       "status": 500,
                 *       "code": "INTERNAL",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description RESULT_UNREAD */
        Refused_502_1: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Bad Gateway",
                 *       "status": 502,
                 *       "code": "RESULT_UNREAD",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description DATABASE_AWAY, DATABASE_FULL, DATABASE_OUT_OF_MEMORY, DATABASE_CONNECTIONS_EXHAUSTED, DATABASE_LIMIT_REACHED, DATABASE_SHORT_OF_RESOURCES, DATABASE_READ_ONLY, DATABASE_BUSY, TOO_BUSY, TOO_SLOW, BODIES_BUSY */
        Refused_503_1: {
            headers: {
                "retry-after": components["headers"]["retry-after"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Service Unavailable",
                 *       "status": 503,
                 *       "code": "DATABASE_AWAY",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description LISTS_BUSY, DATABASE_AWAY, DATABASE_FULL, DATABASE_OUT_OF_MEMORY, DATABASE_CONNECTIONS_EXHAUSTED, DATABASE_LIMIT_REACHED, DATABASE_SHORT_OF_RESOURCES, DATABASE_READ_ONLY, DATABASE_BUSY, TOO_BUSY, TOO_SLOW */
        Refused_503_2: {
            headers: {
                "retry-after": components["headers"]["retry-after"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Service Unavailable",
                 *       "status": 503,
                 *       "code": "LISTS_BUSY",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description DATABASE_AWAY, DATABASE_FULL, DATABASE_OUT_OF_MEMORY, DATABASE_CONNECTIONS_EXHAUSTED, DATABASE_LIMIT_REACHED, DATABASE_SHORT_OF_RESOURCES, DATABASE_READ_ONLY, DATABASE_BUSY, TOO_BUSY, TOO_SLOW */
        Refused_503_3: {
            headers: {
                "retry-after": components["headers"]["retry-after"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Service Unavailable",
                 *       "status": 503,
                 *       "code": "DATABASE_AWAY",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description INTAKE_BUSY, DATABASE_AWAY, DATABASE_FULL, DATABASE_OUT_OF_MEMORY, DATABASE_CONNECTIONS_EXHAUSTED, DATABASE_LIMIT_REACHED, DATABASE_SHORT_OF_RESOURCES, DATABASE_READ_ONLY, DATABASE_BUSY, TOO_BUSY, TOO_SLOW, BODIES_BUSY */
        Refused_503_4: {
            headers: {
                "retry-after": components["headers"]["retry-after"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Service Unavailable",
                 *       "status": 503,
                 *       "code": "INTAKE_BUSY",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description REPORTS_AWAY, REPORTS_BUSY, DATABASE_AWAY, DATABASE_FULL, DATABASE_OUT_OF_MEMORY, DATABASE_CONNECTIONS_EXHAUSTED, DATABASE_LIMIT_REACHED, DATABASE_SHORT_OF_RESOURCES, DATABASE_READ_ONLY, DATABASE_BUSY, TOO_BUSY, TOO_SLOW */
        Refused_503_5: {
            headers: {
                "retry-after": components["headers"]["retry-after"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Service Unavailable",
                 *       "status": 503,
                 *       "code": "REPORTS_AWAY",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description UPLOADS_BUSY, UPLOAD_LOST, DATABASE_AWAY, DATABASE_FULL, DATABASE_OUT_OF_MEMORY, DATABASE_CONNECTIONS_EXHAUSTED, DATABASE_LIMIT_REACHED, DATABASE_SHORT_OF_RESOURCES, DATABASE_READ_ONLY, DATABASE_BUSY, TOO_BUSY, TOO_SLOW, BODIES_BUSY */
        Refused_503_6: {
            headers: {
                "retry-after": components["headers"]["retry-after"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Service Unavailable",
                 *       "status": 503,
                 *       "code": "UPLOADS_BUSY",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description PROJECT_BLOCKED, DATABASE_AWAY, DATABASE_FULL, DATABASE_OUT_OF_MEMORY, DATABASE_CONNECTIONS_EXHAUSTED, DATABASE_LIMIT_REACHED, DATABASE_SHORT_OF_RESOURCES, DATABASE_READ_ONLY, DATABASE_BUSY, TOO_BUSY, TOO_SLOW, BODIES_BUSY */
        Refused_503_7: {
            headers: {
                "retry-after": components["headers"]["retry-after"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Service Unavailable",
                 *       "status": 503,
                 *       "code": "PROJECT_BLOCKED",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description LISTS_BUSY, DATABASE_AWAY, DATABASE_FULL, DATABASE_OUT_OF_MEMORY, DATABASE_CONNECTIONS_EXHAUSTED, DATABASE_LIMIT_REACHED, DATABASE_SHORT_OF_RESOURCES, DATABASE_READ_ONLY, DATABASE_BUSY, TOO_BUSY, TOO_SLOW, BODIES_BUSY */
        Refused_503_8: {
            headers: {
                "retry-after": components["headers"]["retry-after"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Service Unavailable",
                 *       "status": 503,
                 *       "code": "LISTS_BUSY",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description BODIES_BUSY */
        Refused_503_9: {
            headers: {
                "retry-after": components["headers"]["retry-after"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Service Unavailable",
                 *       "status": 503,
                 *       "code": "BODIES_BUSY",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description STREAMS_BUSY, DATABASE_AWAY, DATABASE_FULL, DATABASE_OUT_OF_MEMORY, DATABASE_CONNECTIONS_EXHAUSTED, DATABASE_LIMIT_REACHED, DATABASE_SHORT_OF_RESOURCES, DATABASE_READ_ONLY, DATABASE_BUSY, TOO_BUSY, TOO_SLOW */
        Refused_503_10: {
            headers: {
                "retry-after": components["headers"]["retry-after"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Service Unavailable",
                 *       "status": 503,
                 *       "code": "STREAMS_BUSY",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description REPORTS_AWAY, REPORTS_BUSY, LISTS_BUSY, DATABASE_AWAY, DATABASE_FULL, DATABASE_OUT_OF_MEMORY, DATABASE_CONNECTIONS_EXHAUSTED, DATABASE_LIMIT_REACHED, DATABASE_SHORT_OF_RESOURCES, DATABASE_READ_ONLY, DATABASE_BUSY, TOO_BUSY, TOO_SLOW */
        Refused_503_11: {
            headers: {
                "retry-after": components["headers"]["retry-after"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Service Unavailable",
                 *       "status": 503,
                 *       "code": "REPORTS_AWAY",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description UPLOADS_BUSY, DATABASE_AWAY, DATABASE_FULL, DATABASE_OUT_OF_MEMORY, DATABASE_CONNECTIONS_EXHAUSTED, DATABASE_LIMIT_REACHED, DATABASE_SHORT_OF_RESOURCES, DATABASE_READ_ONLY, DATABASE_BUSY, TOO_BUSY, TOO_SLOW, BODIES_BUSY */
        Refused_503_12: {
            headers: {
                "retry-after": components["headers"]["retry-after"];
                "x-request-id": components["headers"]["x-request-id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "title": "Service Unavailable",
                 *       "status": 503,
                 *       "code": "UPLOADS_BUSY",
                 *       "detail": "what happened, in words",
                 *       "requestId": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The answer of the first request under the key */
        "idempotency-replayed": "true";
        /** @description BUDGET_REQUESTS, of the budget that has the least left; only where a token was sent */
        "ratelimit-limit": number;
        /** @description Requests left */
        "ratelimit-remaining": number;
        /** @description Seconds until all of them are there again */
        "ratelimit-reset": number;
        /** @description Seconds */
        "retry-after": number;
        /** @description The caller's own where it is usable */
        "x-request-id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    Root_ways: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            500: components["responses"]["Refused_500_1"];
        };
    };
    Documents_asyncapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            500: components["responses"]["Refused_500_1"];
        };
    };
    Viewer_page: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            500: components["responses"]["Refused_500_1"];
        };
    };
    Viewer_part: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/css": string;
                    "text/javascript": string;
                    "text/plain": string;
                };
            };
            400: components["responses"]["Refused_400_4"];
            404: components["responses"]["Refused_404_1"];
            414: components["responses"]["Refused_414_1"];
            500: components["responses"]["Refused_500_1"];
        };
    };
    Health_live: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "live"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        status: "live";
                    };
                };
            };
            500: components["responses"]["Refused_500_1"];
        };
    };
    Health_ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Only a token's holder sees more than the status, and only about services that the token holds */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready",
                     *       "checks": [
                     *         {
                     *           "name": "Spring sale",
                     *           "ok": true,
                     *           "note": true,
                     *           "text": "what is wrong, and what is taken"
                     *         }
                     *       ],
                     *       "loops": [
                     *         "…"
                     *       ],
                     *       "zoneRules": {
                     *         "version": "2026f",
                     *         "source": "/shop/promotions",
                     *         "yearsBehind": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            500: components["responses"]["Refused_500_1"];
            /** @description Only a token's holder sees more than the status, and only about services that the token holds */
            503: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready",
                     *       "checks": [
                     *         {
                     *           "name": "Spring sale",
                     *           "ok": true,
                     *           "note": true,
                     *           "text": "what is wrong, and what is taken"
                     *         }
                     *       ],
                     *       "loops": [
                     *         "…"
                     *       ],
                     *       "zoneRules": {
                     *         "version": "2026f",
                     *         "source": "/shop/promotions",
                     *         "yearsBehind": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    Documents_openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            500: components["responses"]["Refused_500_1"];
        };
    };
    Documents_names: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "schemas": [
                     *         "…"
                     *       ]
                     *     }
                     */
                    "application/json": {
                        schemas: string[];
                    };
                };
            };
            500: components["responses"]["Refused_500_1"];
        };
    };
    Documents_schema: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["Refused_400_4"];
            404: components["responses"]["Refused_404_1"];
            414: components["responses"]["Refused_414_1"];
            500: components["responses"]["Refused_500_1"];
        };
    };
    Alerts_list: {
        parameters: {
            query?: {
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Rows of a page */
                limit?: number;
                /** @description Only those of this project */
                serviceId?: string;
                /** @description Left out: both */
                state?: "open" | "ended";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "cause": "FAILURES",
                     *           "severity": "note",
                     *           "serviceId": "shop-app",
                     *           "figure": 1,
                     *           "unit": "…",
                     *           "detail": "what happened, in words",
                     *           "text": "what is wrong, and what is taken",
                     *           "nextStep": "…",
                     *           "runbook": "…",
                     *           "id": "01936d5c-7a00-7000-8000-000000000001",
                     *           "since": "2027-03-01T00:00:00.000Z",
                     *           "lastSeenAt": "2027-03-01T00:00:00.000Z",
                     *           "endedAt": "2027-03-01T00:00:00.000Z",
                     *           "worst": 1,
                     *           "acknowledged": {
                     *             "at": "2027-03-01T00:00:00.000Z",
                     *             "by": "token:ops (0197a5f0-3c00-7000-8000-000000000001)"
                     *           }
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Alert"][];
                        /** @description Where the next page begins; null on the last */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Alerts_acknowledge: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "cause": "FAILURES",
                     *       "severity": "note",
                     *       "serviceId": "shop-app",
                     *       "figure": 1,
                     *       "unit": "…",
                     *       "detail": "what happened, in words",
                     *       "text": "what is wrong, and what is taken",
                     *       "nextStep": "…",
                     *       "runbook": "…",
                     *       "id": "01936d5c-7a00-7000-8000-000000000001",
                     *       "since": "2027-03-01T00:00:00.000Z",
                     *       "lastSeenAt": "2027-03-01T00:00:00.000Z",
                     *       "endedAt": "2027-03-01T00:00:00.000Z",
                     *       "worst": 1,
                     *       "acknowledged": {
                     *         "at": "2027-03-01T00:00:00.000Z",
                     *         "by": "token:ops (0197a5f0-3c00-7000-8000-000000000001)"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Alert"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_3"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Lists_list: {
        parameters: {
            query?: {
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Rows of a page */
                limit?: number;
                /** @description The push project */
                serviceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "serviceId": "shop-app",
                     *           "name": "vip-2027",
                     *           "version": "01936d5c-7a00-7000-8000-000000000001",
                     *           "rows": 1,
                     *           "contentDigest": "3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f",
                     *           "readyAt": "2027-03-01T00:00:00.000Z",
                     *           "expiresAt": "2027-03-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["ListedList"][];
                        /** @description Where the next page begins; null on the last */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Lists_get: {
        parameters: {
            query: {
                /** @description The push project */
                serviceId: string;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serviceId": "shop-app",
                     *       "name": "vip-2027",
                     *       "versions": [
                     *         {
                     *           "version": "01936d5c-7a00-7000-8000-000000000001",
                     *           "counts": true,
                     *           "rows": 1,
                     *           "duplicates": 1,
                     *           "byZone": [
                     *             {
                     *               "zone": "Asia/Seoul",
                     *               "rows": 1
                     *             }
                     *           ],
                     *           "invalidZones": [
                     *             {
                     *               "value": "…",
                     *               "rows": 1,
                     *               "near": "…"
                     *             }
                     *           ],
                     *           "contentDigest": "3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f",
                     *           "readyAt": "2027-03-01T00:00:00.000Z",
                     *           "expiresAt": "2027-03-01T00:00:00.000Z",
                     *           "campaigns": 1
                     *         }
                     *       ],
                     *       "uploads": [
                     *         {
                     *           "version": "01936d5c-7a00-7000-8000-000000000001",
                     *           "rows": 1,
                     *           "bytes": 1,
                     *           "begunAt": "2027-03-01T00:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ListDetail"];
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            414: components["responses"]["Refused_414_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_3"];
        };
    };
    Lists_put: {
        parameters: {
            query: {
                /** @description Days for which campaigns may be published to it [LIST_EXPIRES_DAYS] */
                expiresInDays?: number;
                /** @description The push project */
                serviceId: string;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example … */
                "application/x-ndjson": string;
                /** @example … */
                "text/csv": string;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serviceId": "shop-app",
                     *       "name": "vip-2027",
                     *       "version": "01936d5c-7a00-7000-8000-000000000001",
                     *       "rows": 1,
                     *       "duplicates": 1,
                     *       "byZone": [
                     *         {
                     *           "zone": "Asia/Seoul",
                     *           "rows": 1
                     *         }
                     *       ],
                     *       "invalidZones": [
                     *         {
                     *           "value": "…",
                     *           "rows": 1,
                     *           "near": "…"
                     *         }
                     *       ],
                     *       "contentDigest": "3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f",
                     *       "unchanged": true,
                     *       "expiresAt": "2027-03-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["UploadedList"];
                };
            };
            400: components["responses"]["Refused_400_8"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_7"];
            413: components["responses"]["Refused_413_3"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_4"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_6"];
        };
    };
    Lists_delete: {
        parameters: {
            query: {
                /** @description The push project */
                serviceId: string;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serviceId": "shop-app",
                     *       "name": "vip-2027",
                     *       "versions": 1,
                     *       "keptBy": 1
                     *     }
                     */
                    "application/json": components["schemas"]["DeletedList"];
                };
            };
            400: components["responses"]["Refused_400_5"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Audit_list: {
        parameters: {
            query?: {
                /** @description send.retry */
                action?: string;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description ndjson: all rows that match, one a line, without pages */
                format?: "json" | "ndjson";
                from?: string;
                /** @description Rows of a page */
                limit?: number;
                serviceId?: string;
                target?: string;
                to?: string;
                /** @description As answers show it, token:name (id), or without the id */
                who?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "01936d5c-7a00-7000-8000-000000000001",
                     *           "at": "2027-03-01T00:00:00.000Z",
                     *           "who": "token:ops (0197a5f0-3c00-7000-8000-000000000001)",
                     *           "action": "campaign.cancel",
                     *           "target": "…",
                     *           "serviceId": "shop-app",
                     *           "before": null,
                     *           "after": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["AuditRow"][];
                        /** @description Where the next page begins; null on the last */
                        nextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Campaigns_list: {
        parameters: {
            query?: {
                /** @description Only those that ask for it */
                attention?: "true";
                /** @description The publisher's */
                campaignId?: string;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Only campaigns with an occurrence that has something due at or after it … */
                dueFrom?: string;
                /** @description … and before then */
                dueTo?: string;
                /** @description Rows of a page */
                limit?: number;
                /** @description By when they were created; due: only campaigns that begin from now on, the soonest first */
                order?: "newest" | "oldest" | "due";
                /** @description Part of the publisher's id or of the name, in any case */
                q?: string;
                serviceId?: string;
                /** @description Any of accepted, planning, awaiting-approval, planned, running, canceling, completed, expired, canceled, rejected, with commas */
                state?: string;
                /** @description One of its tags, in the same case */
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "01936d5c-7a00-7000-8000-000000000001",
                     *           "serviceId": "shop-app",
                     *           "campaignId": "spring-sale-2027",
                     *           "name": "Spring sale",
                     *           "state": "accepted",
                     *           "paused": true,
                     *           "revision": 1,
                     *           "code": "DEADLINE",
                     *           "detail": "what happened, in words",
                     *           "stateAt": "2027-03-01T00:00:00.000Z",
                     *           "stateBy": "event:/shop/promotions",
                     *           "createdAt": "2027-03-01T00:00:00.000Z",
                     *           "sends": {},
                     *           "sendsAtLeast": true,
                     *           "nextDueAt": "2027-03-01T00:00:00.000Z",
                     *           "attention": {
                     *             "code": "DEADLINE",
                     *             "text": "what is wrong, and what is taken"
                     *           }
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Campaign"][];
                        /** @description Where the next page begins; null on the last */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Campaigns_one: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Our id; requests may have serviceId/campaignId (in a path with the slash as %2F) */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01936d5c-7a00-7000-8000-000000000001",
                     *       "serviceId": "shop-app",
                     *       "campaignId": "spring-sale-2027",
                     *       "name": "Spring sale",
                     *       "state": "accepted",
                     *       "paused": true,
                     *       "revision": 1,
                     *       "code": "DEADLINE",
                     *       "detail": "what happened, in words",
                     *       "stateAt": "2027-03-01T00:00:00.000Z",
                     *       "stateBy": "event:/shop/promotions",
                     *       "createdAt": "2027-03-01T00:00:00.000Z",
                     *       "sends": {},
                     *       "sendsAtLeast": true,
                     *       "nextDueAt": "2027-03-01T00:00:00.000Z",
                     *       "attention": {
                     *         "code": "DEADLINE",
                     *         "text": "what is wrong, and what is taken"
                     *       },
                     *       "waitingFor": {
                     *         "what": "USER_OFFSETS",
                     *         "ids": 1,
                     *         "lookedUp": 1,
                     *         "toLookUp": 1,
                     *         "byFallback": 1,
                     *         "failedRounds": 1,
                     *         "since": "2027-03-01T00:00:00.000Z",
                     *         "until": "2027-03-01T00:00:00.000Z"
                     *       },
                     *       "acts": [
                     *         {
                     *           "act": "cancel",
                     *           "occurrence": "once",
                     *           "by": "token:ops (0197a5f0-3c00-7000-8000-000000000001)",
                     *           "at": "2027-03-01T00:00:00.000Z",
                     *           "reason": "…",
                     *           "isDone": true,
                     *           "moved": 1,
                     *           "left": 1
                     *         }
                     *       ],
                     *       "revisions": [
                     *         {
                     *           "revision": 1,
                     *           "event": "01936d5c-7a00-7000-8000-000000000001",
                     *           "hash": "…",
                     *           "state": "planning",
                     *           "messageType": "NOTIF",
                     *           "takenAt": "2027-03-01T00:00:00.000Z",
                     *           "publishedBy": "…",
                     *           "reasons": [
                     *             {
                     *               "code": "DEADLINE",
                     *               "text": "what is wrong, and what is taken",
                     *               "pointer": "/data/delivery/at",
                     *               "difference": null
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "occurrences": [
                     *         {
                     *           "occurrence": "once",
                     *           "revision": 1,
                     *           "state": "planned",
                     *           "code": "DEADLINE",
                     *           "firstDueAt": "2027-03-01T00:00:00.000Z",
                     *           "lastDueAt": "2027-03-01T00:00:00.000Z",
                     *           "stateAt": "2027-03-01T00:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CampaignWithRevisions"];
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            414: components["responses"]["Refused_414_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_3"];
        };
    };
    Patch_patch: {
        parameters: {
            query?: {
                /** @description true: only count what the revision would do */
                preview?: "true" | "false";
                /** @description The newest revision that you saw: where another one came meanwhile, it is a 409. Left out: the newest is patched */
                revision?: number;
            };
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Our id; requests may have serviceId/campaignId (in a path with the slash as %2F) */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "message": {
                 *         "default": {
                 *           "content": "Our sale begins at ten"
                 *         }
                 *       }
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["CampaignPatch"];
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01936d5c-7a00-7000-8000-000000000001",
                     *       "campaignId": "spring-sale-2027",
                     *       "patched": 1,
                     *       "revision": 1,
                     *       "changed": true,
                     *       "preview": {
                     *         "verdict": "takes-its-place",
                     *         "reasons": [
                     *           {
                     *             "code": "DEADLINE",
                     *             "text": "what is wrong, and what is taken",
                     *             "pointer": "/data/delivery/at",
                     *             "difference": null
                     *           }
                     *         ],
                     *         "difference": {
                     *           "cells": {
                     *             "same": 1,
                     *             "changed": 1,
                     *             "new": 1,
                     *             "gone": 1,
                     *             "late": 1
                     *           },
                     *           "requests": {
                     *             "same": 1,
                     *             "changed": 1,
                     *             "new": 1,
                     *             "gone": 1,
                     *             "late": 1
                     *           },
                     *           "changed": [
                     *             {
                     *               "occurrence": "once",
                     *               "cell": "Asia/Seoul|all|all|0",
                     *               "what": "same",
                     *               "dueBefore": "2027-03-01T00:00:00.000Z",
                     *               "dueAfter": "2027-03-01T00:00:00.000Z"
                     *             }
                     *           ],
                     *           "kept": [
                     *             "…"
                     *           ],
                     *           "tooLate": 1
                     *         },
                     *         "atOnce": 1,
                     *         "askedOfPushService": 1,
                     *         "inFlight": 1,
                     *         "tooLate": 1,
                     *         "late": {
                     *           "expire": 1,
                     *           "send": 1
                     *         },
                     *         "firstDueAt": "2027-03-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["CampaignPatched"];
                };
            };
            400: components["responses"]["Refused_400_9"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_10"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_5"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_4"];
        };
    };
    Approval_approve: {
        parameters: {
            query?: {
                /** @description true: only count what the act would do */
                preview?: "true" | "false";
            };
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Our id; requests may have serviceId/campaignId (in a path with the slash as %2F) */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "revision": 1,
                 *       "hash": "0000000000000000000000000000000000000000000000000000000000000000"
                 *     }
                 */
                "application/json": {
                    /** @description Of what was looked at: GET /v1/campaigns/{id} has it with the revision */
                    hash: string;
                    reason?: string;
                    /** @description The one that was looked at */
                    revision: number;
                };
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01936d5c-7a00-7000-8000-000000000001",
                     *       "campaignId": "spring-sale-2027",
                     *       "act": "cancel",
                     *       "occurrence": "once",
                     *       "state": "canceling",
                     *       "paused": true,
                     *       "changed": true,
                     *       "preview": {
                     *         "atOnce": 1,
                     *         "askedOfPushService": 1,
                     *         "inFlight": 1,
                     *         "tooLate": 1,
                     *         "late": {
                     *           "expire": 1,
                     *           "send": 1
                     *         },
                     *         "firstDueAt": "2027-03-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActTaken"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_4"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Acts_cancel: {
        parameters: {
            query?: {
                /** @description true: only count what the act would do */
                preview?: "true" | "false";
            };
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Our id; requests may have serviceId/campaignId (in a path with the slash as %2F) */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "the link is wrong"
                 *     }
                 */
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01936d5c-7a00-7000-8000-000000000001",
                     *       "campaignId": "spring-sale-2027",
                     *       "act": "cancel",
                     *       "occurrence": "once",
                     *       "state": "canceling",
                     *       "paused": true,
                     *       "changed": true,
                     *       "preview": {
                     *         "atOnce": 1,
                     *         "askedOfPushService": 1,
                     *         "inFlight": 1,
                     *         "tooLate": 1,
                     *         "late": {
                     *           "expire": 1,
                     *           "send": 1
                     *         },
                     *         "firstDueAt": "2027-03-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActTaken"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_1"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Approval_decline: {
        parameters: {
            query?: {
                /** @description true: only count what the act would do */
                preview?: "true" | "false";
            };
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Our id; requests may have serviceId/campaignId (in a path with the slash as %2F) */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "the price is wrong"
                 *     }
                 */
                "application/json": {
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01936d5c-7a00-7000-8000-000000000001",
                     *       "campaignId": "spring-sale-2027",
                     *       "act": "cancel",
                     *       "occurrence": "once",
                     *       "state": "canceling",
                     *       "paused": true,
                     *       "changed": true,
                     *       "preview": {
                     *         "atOnce": 1,
                     *         "askedOfPushService": 1,
                     *         "inFlight": 1,
                     *         "tooLate": 1,
                     *         "late": {
                     *           "expire": 1,
                     *           "send": 1
                     *         },
                     *         "firstDueAt": "2027-03-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActTaken"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_5"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Campaigns_history: {
        parameters: {
            query?: {
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Rows of a page */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Our id; requests may have serviceId/campaignId (in a path with the slash as %2F) */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "sequence": 1,
                     *           "from": "planned",
                     *           "to": "…",
                     *           "code": "DEADLINE",
                     *           "detail": "what happened, in words",
                     *           "at": "2027-03-01T00:00:00.000Z",
                     *           "by": "token:ops (0197a5f0-3c00-7000-8000-000000000001)"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Change"][];
                        /** @description Where the next page begins; null on the last */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            414: components["responses"]["Refused_414_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Acts_cancelOccurrence: {
        parameters: {
            query?: {
                /** @description true: only count what the act would do */
                preview?: "true" | "false";
            };
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Our id; requests may have serviceId/campaignId (in a path with the slash as %2F) */
                id: string;
                occurrence: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "the link is wrong"
                 *     }
                 */
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01936d5c-7a00-7000-8000-000000000001",
                     *       "campaignId": "spring-sale-2027",
                     *       "act": "cancel",
                     *       "occurrence": "once",
                     *       "state": "canceling",
                     *       "paused": true,
                     *       "changed": true,
                     *       "preview": {
                     *         "atOnce": 1,
                     *         "askedOfPushService": 1,
                     *         "inFlight": 1,
                     *         "tooLate": 1,
                     *         "late": {
                     *           "expire": 1,
                     *           "send": 1
                     *         },
                     *         "firstDueAt": "2027-03-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActTaken"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_2"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Acts_pauseOccurrence: {
        parameters: {
            query?: {
                /** @description true: only count what the act would do */
                preview?: "true" | "false";
            };
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Our id; requests may have serviceId/campaignId (in a path with the slash as %2F) */
                id: string;
                occurrence: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "the link is wrong"
                 *     }
                 */
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01936d5c-7a00-7000-8000-000000000001",
                     *       "campaignId": "spring-sale-2027",
                     *       "act": "cancel",
                     *       "occurrence": "once",
                     *       "state": "canceling",
                     *       "paused": true,
                     *       "changed": true,
                     *       "preview": {
                     *         "atOnce": 1,
                     *         "askedOfPushService": 1,
                     *         "inFlight": 1,
                     *         "tooLate": 1,
                     *         "late": {
                     *           "expire": 1,
                     *           "send": 1
                     *         },
                     *         "firstDueAt": "2027-03-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActTaken"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_2"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Acts_resumeOccurrence: {
        parameters: {
            query?: {
                /** @description true: only count what the act would do */
                preview?: "true" | "false";
            };
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Our id; requests may have serviceId/campaignId (in a path with the slash as %2F) */
                id: string;
                occurrence: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "the link is wrong"
                 *     }
                 */
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01936d5c-7a00-7000-8000-000000000001",
                     *       "campaignId": "spring-sale-2027",
                     *       "act": "cancel",
                     *       "occurrence": "once",
                     *       "state": "canceling",
                     *       "paused": true,
                     *       "changed": true,
                     *       "preview": {
                     *         "atOnce": 1,
                     *         "askedOfPushService": 1,
                     *         "inFlight": 1,
                     *         "tooLate": 1,
                     *         "late": {
                     *           "expire": 1,
                     *           "send": 1
                     *         },
                     *         "firstDueAt": "2027-03-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActTaken"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_2"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Acts_pause: {
        parameters: {
            query?: {
                /** @description true: only count what the act would do */
                preview?: "true" | "false";
            };
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Our id; requests may have serviceId/campaignId (in a path with the slash as %2F) */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "the link is wrong"
                 *     }
                 */
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01936d5c-7a00-7000-8000-000000000001",
                     *       "campaignId": "spring-sale-2027",
                     *       "act": "cancel",
                     *       "occurrence": "once",
                     *       "state": "canceling",
                     *       "paused": true,
                     *       "changed": true,
                     *       "preview": {
                     *         "atOnce": 1,
                     *         "askedOfPushService": 1,
                     *         "inFlight": 1,
                     *         "tooLate": 1,
                     *         "late": {
                     *           "expire": 1,
                     *           "send": 1
                     *         },
                     *         "firstDueAt": "2027-03-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActTaken"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_1"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Campaigns_plan: {
        parameters: {
            query?: {
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Rows of a page */
                limit?: number;
                occurrence?: string;
                /** @description Cells with a newest send of any of these states, with commas: planned, sending, accepted, reserved, scheduled, canceling, held, uncertain, sent, failed, empty, stale, rejected, canceled, expired, skipped, superseded */
                state?: string;
                zone?: string;
            };
            header?: never;
            path: {
                /** @description Our id; requests may have serviceId/campaignId (in a path with the slash as %2F) */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *       "campaignId": "spring-sale-2027",
                     *       "revision": 1,
                     *       "state": "planning",
                     *       "refusal": {
                     *         "code": "DEADLINE",
                     *         "text": "what is wrong, and what is taken",
                     *         "pointer": "/data/delivery/at",
                     *         "difference": null
                     *       },
                     *       "later": [
                     *         "…"
                     *       ],
                     *       "cells": 1,
                     *       "policy": {
                     *         "dst": {
                     *           "gap": "forward"
                     *         },
                     *         "night": "consented",
                     *         "quietHours": {
                     *           "start": "21:00",
                     *           "end": "08:00",
                     *           "action": "defer"
                     *         },
                     *         "passedZone": "floor:Asia/Seoul",
                     *         "deadline": "P1D",
                     *         "lateness": {
                     *           "max": "PT30M"
                     *         },
                     *         "handoff": "reserve",
                     *         "pace": {
                     *           "perMinute": 6000
                     *         },
                     *         "jitter": "PT30M",
                     *         "split": [
                     *           "country"
                     *         ],
                     *         "approval": "none",
                     *         "testTo": [
                     *           "user-1"
                     *         ]
                     *       },
                     *       "warnings": [
                     *         {
                     *           "code": "DEADLINE",
                     *           "text": "what is wrong, and what is taken",
                     *           "pointer": "/data/delivery/at",
                     *           "difference": null
                     *         }
                     *       ],
                     *       "totals": {
                     *         "cells": 1,
                     *         "requests": 1,
                     *         "skippedRequests": 1,
                     *         "expiredRequests": 1,
                     *         "recipients": 1,
                     *         "duplicates": 1,
                     *         "fallbackRecipients": 1,
                     *         "invalidZones": {},
                     *         "provisional": 1,
                     *         "firstDueAt": "2027-03-01T00:00:00.000Z",
                     *         "lastDueAt": "2027-03-01T00:00:00.000Z",
                     *         "expectedEndAt": "2027-03-01T00:00:00.000Z"
                     *       },
                     *       "load": [
                     *         {
                     *           "minute": "2027-03-01T00:00:00.000Z",
                     *           "requests": 1,
                     *           "backlog": 1
                     *         }
                     *       ],
                     *       "tzdata": {
                     *         "source": "/shop/promotions",
                     *         "version": "2026f"
                     *       },
                     *       "nextLookAt": "2027-03-01T00:00:00.000Z",
                     *       "items": [
                     *         {
                     *           "occurrence": "once",
                     *           "cell": "Asia/Seoul|all|all|0",
                     *           "zone": "Asia/Seoul",
                     *           "zoneSource": "given",
                     *           "segment": 1,
                     *           "deviceType": "all",
                     *           "country": "KR",
                     *           "target": {
                     *             "type": "ALL",
                     *             "deviceType": "GCM",
                     *             "to": [
                     *               "…"
                     *             ],
                     *             "country": [
                     *               "…"
                     *             ],
                     *             "timezone": [
                     *               1
                     *             ]
                     *           },
                     *           "local": {
                     *             "asked": "2027-03-01T09:00",
                     *             "reading": {
                     *               "weekday": "Mon",
                     *               "date": "2027-03-01",
                     *               "time": "09:00",
                     *               "offset": "+09:00"
                     *             }
                     *           },
                     *           "intendedAt": "2027-03-01T00:00:00.000Z",
                     *           "dueAt": "2027-03-01T00:00:00.000Z",
                     *           "handOffAt": "2027-03-01T00:00:00.000Z",
                     *           "mode": "immediate",
                     *           "rule": "SCHEDULE_CODE",
                     *           "verdicts": {
                     *             "dst": "exact",
                     *             "passedZone": {
                     *               "kind": "outside",
                     *               "to": "2027-03-01T00:00:00.000Z",
                     *               "afterGap": "…"
                     *             },
                     *             "night": {
                     *               "kind": "outside",
                     *               "to": "2027-03-01T00:00:00.000Z",
                     *               "afterGap": "…"
                     *             },
                     *             "quietHours": {
                     *               "kind": "outside",
                     *               "to": "2027-03-01T00:00:00.000Z",
                     *               "afterGap": "…"
                     *             },
                     *             "jitterMs": 1,
                     *             "paceMs": 1,
                     *             "deadlineAt": "2027-03-01T00:00:00.000Z",
                     *             "lastDueAt": "2027-03-01T00:00:00.000Z",
                     *             "fallback": "INVALID_ZONE",
                     *             "expired": {
                     *               "lateMs": 1
                     *             },
                     *             "late": {
                     *               "lateMs": 1
                     *             },
                     *             "nightRequests": 1,
                     *             "skippedRequests": {}
                     *           },
                     *           "skipped": "DST_GAP",
                     *           "requests": 1,
                     *           "recipients": 1,
                     *           "revision": 1,
                     *           "offsetChanges": [
                     *             {
                     *               "at": "2027-03-01T00:00:00.000Z",
                     *               "from": "planned",
                     *               "to": "…"
                     *             }
                     *           ],
                     *           "sends": {},
                     *           "sendsAtLeast": true
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["StoredPlan"];
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            414: components["responses"]["Refused_414_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Acts_resume: {
        parameters: {
            query?: {
                /** @description true: only count what the act would do */
                preview?: "true" | "false";
            };
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Our id; requests may have serviceId/campaignId (in a path with the slash as %2F) */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "the link is wrong"
                 *     }
                 */
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01936d5c-7a00-7000-8000-000000000001",
                     *       "campaignId": "spring-sale-2027",
                     *       "act": "cancel",
                     *       "occurrence": "once",
                     *       "state": "canceling",
                     *       "paused": true,
                     *       "changed": true,
                     *       "preview": {
                     *         "atOnce": 1,
                     *         "askedOfPushService": 1,
                     *         "inFlight": 1,
                     *         "tooLate": 1,
                     *         "late": {
                     *           "expire": 1,
                     *           "send": 1
                     *         },
                     *         "firstDueAt": "2027-03-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ActTaken"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_1"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Campaigns_revision: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Our id; requests may have serviceId/campaignId (in a path with the slash as %2F) */
                id: string;
                revision: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "revision": 1,
                     *       "event": "01936d5c-7a00-7000-8000-000000000001",
                     *       "hash": "…",
                     *       "state": "planning",
                     *       "messageType": "NOTIF",
                     *       "takenAt": "2027-03-01T00:00:00.000Z",
                     *       "publishedBy": "…",
                     *       "reasons": [
                     *         {
                     *           "code": "DEADLINE",
                     *           "text": "what is wrong, and what is taken",
                     *           "pointer": "/data/delivery/at",
                     *           "difference": null
                     *         }
                     *       ],
                     *       "difference": {
                     *         "cells": {
                     *           "same": 1,
                     *           "changed": 1,
                     *           "new": 1,
                     *           "gone": 1,
                     *           "late": 1
                     *         },
                     *         "requests": {
                     *           "same": 1,
                     *           "changed": 1,
                     *           "new": 1,
                     *           "gone": 1,
                     *           "late": 1
                     *         },
                     *         "changed": [
                     *           {
                     *             "occurrence": "once",
                     *             "cell": "Asia/Seoul|all|all|0",
                     *             "what": "same",
                     *             "dueBefore": "2027-03-01T00:00:00.000Z",
                     *             "dueAfter": "2027-03-01T00:00:00.000Z"
                     *           }
                     *         ],
                     *         "kept": [
                     *           "…"
                     *         ],
                     *         "tooLate": 1
                     *       },
                     *       "zoneRules": "…",
                     *       "plan": {
                     *         "cells": 1,
                     *         "policy": {
                     *           "dst": {
                     *             "gap": "forward"
                     *           },
                     *           "night": "consented",
                     *           "quietHours": {
                     *             "start": "21:00",
                     *             "end": "08:00",
                     *             "action": "defer"
                     *           },
                     *           "passedZone": "floor:Asia/Seoul",
                     *           "deadline": "P1D",
                     *           "lateness": {
                     *             "max": "PT30M"
                     *           },
                     *           "handoff": "reserve",
                     *           "pace": {
                     *             "perMinute": 6000
                     *           },
                     *           "jitter": "PT30M",
                     *           "split": [
                     *             "country"
                     *           ],
                     *           "approval": "none",
                     *           "testTo": [
                     *             "user-1"
                     *           ]
                     *         },
                     *         "warnings": [
                     *           {
                     *             "code": "DEADLINE",
                     *             "text": "what is wrong, and what is taken",
                     *             "pointer": "/data/delivery/at",
                     *             "difference": null
                     *           }
                     *         ],
                     *         "totals": {
                     *           "cells": 1,
                     *           "requests": 1,
                     *           "skippedRequests": 1,
                     *           "expiredRequests": 1,
                     *           "recipients": 1,
                     *           "duplicates": 1,
                     *           "fallbackRecipients": 1,
                     *           "invalidZones": {},
                     *           "provisional": 1,
                     *           "firstDueAt": "2027-03-01T00:00:00.000Z",
                     *           "lastDueAt": "2027-03-01T00:00:00.000Z",
                     *           "expectedEndAt": "2027-03-01T00:00:00.000Z"
                     *         },
                     *         "load": [
                     *           {
                     *             "minute": "2027-03-01T00:00:00.000Z",
                     *             "requests": 1,
                     *             "backlog": 1
                     *           }
                     *         ],
                     *         "tzdata": {
                     *           "source": "/shop/promotions",
                     *           "version": "2026f"
                     *         },
                     *         "nextLookAt": "2027-03-01T00:00:00.000Z"
                     *       },
                     *       "data": {},
                     *       "cut": {},
                     *       "messages": [
                     *         {
                     *           "deviceType": "GCM",
                     *           "language": "…",
                     *           "title": "…",
                     *           "text": "what is wrong, and what is taken",
                     *           "from": "planned",
                     *           "option": {},
                     *           "bytes": 1,
                     *           "isTooLarge": true
                     *         }
                     *       ],
                     *       "moreMessages": true
                     *     }
                     */
                    "application/json": components["schemas"]["RevisionView"];
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            414: components["responses"]["Refused_414_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_3"];
        };
    };
    Campaigns_sends: {
        parameters: {
            query?: {
                cell?: string;
                /** @description Why it is in its state; none: there is no code */
                code?: string;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Whether it was moved to later than the time intended */
                deferred?: "true" | "false";
                /** @description Due at or after this; a retry by its chunk's first due, as in reports … */
                dueFrom?: string;
                /** @description … and before this */
                dueTo?: string;
                /** @description Of the newest attempt's answer; none: there was no answer */
                httpStatus?: "none" | number;
                /** @description Its lateness, as in reports, is above this: milliseconds or PT30S */
                lateOver?: string;
                /** @description Rows of a page */
                limit?: number;
                mode?: "immediate" | "reserved" | "scheduled";
                /** @description Only the send of each chunk that counts */
                newest?: "true" | "false";
                occurrence?: string;
                /** @description By when they were created */
                order?: "oldest" | "newest";
                /** @description A reason that the push service's breakdown gives, as its detail names it */
                reason?: string;
                /** @description The push service's */
                requestId?: string;
                /** @description It came to its state at or after this … */
                since?: string;
                /** @description Any of planned, sending, accepted, reserved, scheduled, canceling, held, uncertain, sent, failed, empty, stale, rejected, canceled, expired, skipped, superseded, with commas */
                state?: string;
                /** @description … and before this */
                until?: string;
                /** @description The cell's */
                zone?: string;
            };
            header?: never;
            path: {
                /** @description Our id; requests may have serviceId/campaignId (in a path with the slash as %2F) */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "01936d5c-7a00-7000-8000-000000000001",
                     *           "serviceId": "shop-app",
                     *           "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *           "campaignId": "spring-sale-2027",
                     *           "revision": 1,
                     *           "occurrence": "once",
                     *           "cell": "Asia/Seoul|all|all|0",
                     *           "zone": "Asia/Seoul",
                     *           "chunk": 1,
                     *           "newest": true,
                     *           "retryOf": "01936d5c-7a00-7000-8000-000000000001",
                     *           "retries": 1,
                     *           "state": "planned",
                     *           "code": "DEADLINE",
                     *           "detail": "what happened, in words",
                     *           "goal": null,
                     *           "stateAt": "2027-03-01T00:00:00.000Z",
                     *           "stateBy": "event:/shop/promotions",
                     *           "mode": "immediate",
                     *           "rule": "SCHEDULE_CODE",
                     *           "scheduleCode": "…",
                     *           "intendedAt": "2027-03-01T00:00:00.000Z",
                     *           "dueAt": "2027-03-01T00:00:00.000Z",
                     *           "handOffAt": "2027-03-01T00:00:00.000Z",
                     *           "recipients": 1,
                     *           "attempts": 1,
                     *           "requestId": "01936d5c-7a00-7000-8000-000000000001",
                     *           "handedOffAt": "2027-03-01T00:00:00.000Z",
                     *           "answeredAt": "2027-03-01T00:00:00.000Z",
                     *           "gatewayStatus": "…",
                     *           "target": 1,
                     *           "sent": 1,
                     *           "completeTime": "2027-03-01T00:00:00.000Z",
                     *           "createdAt": "2027-03-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null,
                     *       "count": {
                     *         "value": 1,
                     *         "atLeast": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @description How many sends the filter names, exact up to 10 000; null after the first page */
                        count: components["schemas"]["Counted"] | null;
                        items: components["schemas"]["Send"][];
                        /** @description Where the next page begins; null on the last */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            414: components["responses"]["Refused_414_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Choices_channels: {
        parameters: {
            query: {
                /** @description From 0; a page has 100 names */
                page?: number;
                /** @description Part of the name */
                q?: string;
                /** @description The push project */
                serviceId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "Spring sale",
                     *           "description": "…"
                     *         }
                     *       ],
                     *       "hasMore": true,
                     *       "lack": "…"
                     *     }
                     */
                    "application/json": components["schemas"]["GatewayNames"];
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_3"];
        };
    };
    Erasures_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01936d5c-7a00-7000-8000-000000000001",
                     *       "serviceId": "shop-app",
                     *       "userHash": "…",
                     *       "state": "running",
                     *       "askedAt": "2027-03-01T00:00:00.000Z",
                     *       "askedBy": "…",
                     *       "doneAt": "2027-03-01T00:00:00.000Z",
                     *       "pass": 1,
                     *       "waits": 1,
                     *       "removed": [
                     *         {
                     *           "table": "…",
                     *           "rows": 1
                     *         }
                     *       ],
                     *       "notHere": [
                     *         "…"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            414: components["responses"]["Refused_414_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_3"];
        };
    };
    EventLookUp_find: {
        parameters: {
            query: {
                id: string;
                /** @description Only the events of this service, because others may use the same source and id [all services of the token] */
                serviceId?: string;
                /** @description As the event has it */
                source: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "source": "/shop/promotions",
                     *       "id": "spring-sale-1",
                     *       "seen": [
                     *         {
                     *           "eventId": "01936d5c-7a00-7000-8000-000000000001",
                     *           "serviceId": "shop-app",
                     *           "receivedAt": "2027-03-01T00:00:00.000Z",
                     *           "verdict": "accepted",
                     *           "campaignId": "01936d5c-7a00-7000-8000-000000000001"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SeenEvents"];
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Events_take: {
        parameters: {
            query?: {
                /** @description true: only says what would become of the events now (200, JudgedEvents), and keeps nothing */
                validate?: "true" | "false";
            };
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example [
                 *       {
                 *         "specversion": "1.0",
                 *         "id": "spring-sale-1",
                 *         "source": "/shop/promotions",
                 *         "type": "carillon.campaign.scheduled.v1",
                 *         "subject": "spring-sale-2027",
                 *         "time": "2027-03-01T00:00:00Z",
                 *         "data": {
                 *           "serviceId": "shop-app",
                 *           "name": "Spring sale",
                 *           "messageType": "AD",
                 *           "audience": {
                 *             "type": "CHANNEL",
                 *             "to": [
                 *               "vip"
                 *             ]
                 *           },
                 *           "message": {
                 *             "default": {
                 *               "content": "(Ad) Our spring sale begins"
                 *             }
                 *           },
                 *           "delivery": {
                 *             "at": "2027-03-01T09:00",
                 *             "zone": "recipient"
                 *           },
                 *           "policy": {
                 *             "night": "defer",
                 *             "passedZone": "skip"
                 *           }
                 *         }
                 *       }
                 *     ]
                 */
                "application/cloudevents-batch+json": (components["schemas"]["ScheduledEvent"] | components["schemas"]["CanceledEvent"] | components["schemas"]["PausedEvent"] | components["schemas"]["ResumedEvent"])[];
                /**
                 * @example {
                 *       "specversion": "1.0",
                 *       "id": "spring-sale-1",
                 *       "source": "/shop/promotions",
                 *       "type": "carillon.campaign.scheduled.v1",
                 *       "subject": "spring-sale-2027",
                 *       "time": "2027-03-01T00:00:00Z",
                 *       "data": {
                 *         "serviceId": "shop-app",
                 *         "name": "Spring sale",
                 *         "messageType": "AD",
                 *         "audience": {
                 *           "type": "CHANNEL",
                 *           "to": [
                 *             "vip"
                 *           ]
                 *         },
                 *         "message": {
                 *           "default": {
                 *             "content": "(Ad) Our spring sale begins"
                 *           }
                 *         },
                 *         "delivery": {
                 *           "at": "2027-03-01T09:00",
                 *           "zone": "recipient"
                 *         },
                 *         "policy": {
                 *           "night": "defer",
                 *           "passedZone": "skip"
                 *         }
                 *       }
                 *     }
                 */
                "application/cloudevents+json": components["schemas"]["ScheduledEvent"] | components["schemas"]["CanceledEvent"] | components["schemas"]["PausedEvent"] | components["schemas"]["ResumedEvent"];
                /**
                 * @example {
                 *       "serviceId": "shop-app",
                 *       "name": "Spring sale",
                 *       "messageType": "AD",
                 *       "audience": {
                 *         "type": "CHANNEL",
                 *         "to": [
                 *           "vip"
                 *         ]
                 *       },
                 *       "message": {
                 *         "default": {
                 *           "content": "(Ad) Our spring sale begins"
                 *         }
                 *       },
                 *       "delivery": {
                 *         "at": "2027-03-01T09:00",
                 *         "zone": "recipient"
                 *       },
                 *       "policy": {
                 *         "night": "defer",
                 *         "passedZone": "skip"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ScheduledData"] | components["schemas"]["CommandData"] | (components["schemas"]["ScheduledEvent"] | components["schemas"]["CanceledEvent"] | components["schemas"]["PausedEvent"] | components["schemas"]["ResumedEvent"]);
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "events": [
                     *         {
                     *           "index": 1,
                     *           "source": "/shop/promotions",
                     *           "id": "spring-sale-1",
                     *           "eventId": "01936d5c-7a00-7000-8000-000000000001",
                     *           "verdict": "accepted",
                     *           "campaignId": "01936d5c-7a00-7000-8000-000000000001",
                     *           "warnings": [
                     *             {
                     *               "code": "DEADLINE",
                     *               "text": "what is wrong, and what is taken",
                     *               "pointer": "/data/delivery/at",
                     *               "difference": null
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EventVerdicts"] | components["schemas"]["JudgedEvents"];
                };
            };
            /** @description Done */
            202: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "events": [
                     *         {
                     *           "index": 1,
                     *           "source": "/shop/promotions",
                     *           "id": "spring-sale-1",
                     *           "eventId": "01936d5c-7a00-7000-8000-000000000001",
                     *           "verdict": "accepted",
                     *           "campaignId": "01936d5c-7a00-7000-8000-000000000001",
                     *           "warnings": [
                     *             {
                     *               "code": "DEADLINE",
                     *               "text": "what is wrong, and what is taken",
                     *               "pointer": "/data/delivery/at",
                     *               "difference": null
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EventVerdicts"] | components["schemas"]["JudgedEvents"];
                };
            };
            400: components["responses"]["Refused_400_6"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            409: components["responses"]["Refused_409_6"];
            413: components["responses"]["Refused_413_2"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_4"];
        };
    };
    Failures_list: {
        parameters: {
            query?: {
                /** @description Our id */
                campaign?: string;
                cell?: string;
                /** @description Why it is in its state; none: there is no code */
                code?: string;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Whether it was moved to later than the time intended */
                deferred?: "true" | "false";
                /** @description Due at or after this; a retry by its chunk's first due, as in reports … */
                dueFrom?: string;
                /** @description … and before this */
                dueTo?: string;
                /** @description With commas, beside the state: code, project, campaign, zone, mode, httpStatus */
                groupBy?: string;
                /** @description Of the newest attempt's answer; none: there was no answer */
                httpStatus?: "none" | number;
                /** @description Its lateness, as in reports, is above this: milliseconds or PT30S */
                lateOver?: string;
                /** @description Rows of a page */
                limit?: number;
                mode?: "immediate" | "reserved" | "scheduled";
                occurrence?: string;
                /** @description A reason that the push service's breakdown gives, as its detail names it */
                reason?: string;
                /** @description The push service's */
                requestId?: string;
                /** @description Of the project */
                serviceId?: string;
                /** @description It came to its state at or after this … */
                since?: string;
                /** @description Any of uncertain, failed, stale, rejected, expired, with commas */
                state?: string;
                /** @description … and before this */
                until?: string;
                /** @description The cell's */
                zone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "state": "uncertain",
                     *           "code": "DEADLINE",
                     *           "project": "…",
                     *           "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *           "campaignId": "spring-sale-2027",
                     *           "zone": "Asia/Seoul",
                     *           "mode": "immediate",
                     *           "httpStatus": 200,
                     *           "sends": 1,
                     *           "firstAt": "2027-03-01T00:00:00.000Z",
                     *           "lastAt": "2027-03-01T00:00:00.000Z",
                     *           "retryable": true,
                     *           "filter": {}
                     *         }
                     *       ],
                     *       "nextCursor": null,
                     *       "sends": {
                     *         "value": 1,
                     *         "atLeast": true
                     *       },
                     *       "asOf": "2027-03-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Failures"];
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Forecast_read: {
        parameters: {
            query?: {
                /** @description The key of a step */
                by?: "zone" | "project" | "campaign";
                /** @description The first step begins at it, cut to a whole step [now] */
                from?: string;
                serviceId?: string;
                /** @description minute: at most 24 hours; hour: at most 35 days */
                step?: "minute" | "hour";
                /** @description The last step ends at it or before [24 hours after from] */
                to?: string;
                /** @description A previewed plan whose load is added, as if it were published */
                with?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "asOf": "2027-03-01T00:00:00.000Z",
                     *       "from": "2027-03-01T00:00:00.000Z",
                     *       "to": "2027-03-01T00:00:00.000Z",
                     *       "step": "minute",
                     *       "by": "zone",
                     *       "coveredTo": "2027-03-01T00:00:00.000Z",
                     *       "projects": [
                     *         {
                     *           "serviceId": "shop-app",
                     *           "ratePerSecond": 1,
                     *           "blocked": "…",
                     *           "notPlannedYet": 1,
                     *           "requests": 1,
                     *           "lateMs": 1,
                     *           "drainedAt": "2027-03-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "steps": [
                     *         {
                     *           "at": "2027-03-01T00:00:00.000Z",
                     *           "key": "…",
                     *           "campaignId": "spring-sale-2027",
                     *           "requests": 1,
                     *           "backlog": 1,
                     *           "lateMs": 1
                     *         }
                     *       ],
                     *       "late": [
                     *         {
                     *           "serviceId": "shop-app",
                     *           "campaign": "…",
                     *           "campaignId": "spring-sale-2027",
                     *           "name": "Spring sale",
                     *           "occurrence": "once",
                     *           "dueAt": "2027-03-01T00:00:00.000Z",
                     *           "lastLeavesAt": "2027-03-01T00:00:00.000Z",
                     *           "lateMs": 1,
                     *           "requests": 1,
                     *           "maxLateMs": 1,
                     *           "beyond": "expire",
                     *           "missesLateness": {
                     *             "byMs": 1,
                     *             "requests": 1
                     *           },
                     *           "missesDeadline": {
                     *             "byMs": 1,
                     *             "requests": 1
                     *           },
                     *           "waysOut": {
                     *             "ratePerSecond": 1,
                     *             "pace": {
                     *               "perMinute": 1,
                     *               "minutes": 1
                     *             },
                     *             "jitterMinutes": 1
                     *           }
                     *         }
                     *       ],
                     *       "lateCampaigns": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Forecast"];
                };
            };
            400: components["responses"]["Refused_400_7"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            422: components["responses"]["Refused_422_3"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_5"];
        };
    };
    Reports_ledger: {
        parameters: {
            query?: {
                from?: string;
                serviceId?: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "asOf": "2027-03-01T00:00:00.000Z",
                     *       "events": {
                     *         "left": 1,
                     *         "right": {
                     *           "campaigns": 1,
                     *           "revisions": 1,
                     *           "commands": 1,
                     *           "parked": 1,
                     *           "rejected": 1,
                     *           "duplicates": 1
                     *         },
                     *         "sum": 1,
                     *         "balanced": true,
                     *         "gone": 1
                     *       },
                     *       "planned": {
                     *         "left": 1,
                     *         "right": {
                     *           "sent": 1,
                     *           "empty": 1,
                     *           "failed": 1,
                     *           "stale": 1,
                     *           "rejected": 1,
                     *           "canceled": 1,
                     *           "expired": 1,
                     *           "skipped": 1,
                     *           "uncertain": 1,
                     *           "standing": 1,
                     *           "open": 1
                     *         },
                     *         "sum": 1,
                     *         "balanced": true,
                     *         "gone": 1
                     *       },
                     *       "tests": {
                     *         "left": 1,
                     *         "right": {
                     *           "sent": 1,
                     *           "empty": 1,
                     *           "failed": 1,
                     *           "stale": 1,
                     *           "rejected": 1,
                     *           "canceled": 1,
                     *           "expired": 1,
                     *           "skipped": 1,
                     *           "uncertain": 1,
                     *           "standing": 1,
                     *           "open": 1
                     *         },
                     *         "sum": 1,
                     *         "balanced": true,
                     *         "gone": 1
                     *       },
                     *       "devices": {
                     *         "left": 1,
                     *         "right": {
                     *           "sent": 1,
                     *           "failed": 1,
                     *           "pending": 1,
                     *           "unknown": 1
                     *         },
                     *         "sum": 1,
                     *         "balanced": true,
                     *         "gone": 1
                     *       },
                     *       "missing": [
                     *         {
                     *           "code": "EVENT_WITHOUT_COUNTERPART",
                     *           "count": 1,
                     *           "rows": [
                     *             {
                     *               "row": "…",
                     *               "text": "what is wrong, and what is taken"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "balanced": true
                     *     }
                     */
                    "application/json": components["schemas"]["LedgerAnswer"];
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_5"];
        };
    };
    Plans_make: {
        parameters: {
            query?: {
                /** @description The campaign whose next revision it would be: the answer counts what that would do */
                campaign?: string;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Rows of a page */
                limit?: number;
                /** @description Whether the push service is asked for unknown zones, for at most ten seconds */
                lookUp?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "specversion": "1.0",
                 *       "id": "spring-sale-1",
                 *       "source": "/shop/promotions",
                 *       "type": "carillon.campaign.scheduled.v1",
                 *       "subject": "spring-sale-2027",
                 *       "time": "2027-03-01T00:00:00Z",
                 *       "data": {
                 *         "serviceId": "shop-app",
                 *         "name": "Spring sale",
                 *         "messageType": "AD",
                 *         "audience": {
                 *           "type": "CHANNEL",
                 *           "to": [
                 *             "vip"
                 *           ]
                 *         },
                 *         "message": {
                 *           "default": {
                 *             "content": "(Ad) Our spring sale begins"
                 *           }
                 *         },
                 *         "delivery": {
                 *           "at": "2027-03-01T09:00",
                 *           "zone": "recipient"
                 *         },
                 *         "policy": {
                 *           "night": "defer",
                 *           "passedZone": "skip"
                 *         }
                 *       }
                 *     }
                 */
                "application/cloudevents+json": components["schemas"]["ScheduledEvent"];
                /**
                 * @example {
                 *       "serviceId": "shop-app",
                 *       "name": "Spring sale",
                 *       "messageType": "AD",
                 *       "audience": {
                 *         "type": "CHANNEL",
                 *         "to": [
                 *           "vip"
                 *         ]
                 *       },
                 *       "message": {
                 *         "default": {
                 *           "content": "(Ad) Our spring sale begins"
                 *         }
                 *       },
                 *       "delivery": {
                 *         "at": "2027-03-01T09:00",
                 *         "zone": "recipient"
                 *       },
                 *       "policy": {
                 *         "night": "defer",
                 *         "passedZone": "skip"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ScheduledData"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "planHash": "3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f",
                     *       "serviceId": "shop-app",
                     *       "expiresAt": "2027-03-01T00:00:00.000Z",
                     *       "cells": 1,
                     *       "policy": {
                     *         "dst": {
                     *           "gap": "forward"
                     *         },
                     *         "night": "consented",
                     *         "quietHours": {
                     *           "start": "21:00",
                     *           "end": "08:00",
                     *           "action": "defer"
                     *         },
                     *         "passedZone": "floor:Asia/Seoul",
                     *         "deadline": "P1D",
                     *         "lateness": {
                     *           "max": "PT30M"
                     *         },
                     *         "handoff": "reserve",
                     *         "pace": {
                     *           "perMinute": 6000
                     *         },
                     *         "jitter": "PT30M",
                     *         "split": [
                     *           "country"
                     *         ],
                     *         "approval": "none",
                     *         "testTo": [
                     *           "user-1"
                     *         ]
                     *       },
                     *       "warnings": [
                     *         {
                     *           "code": "DEADLINE",
                     *           "text": "what is wrong, and what is taken",
                     *           "pointer": "/data/delivery/at",
                     *           "difference": null
                     *         }
                     *       ],
                     *       "totals": {
                     *         "cells": 1,
                     *         "requests": 1,
                     *         "skippedRequests": 1,
                     *         "expiredRequests": 1,
                     *         "recipients": 1,
                     *         "duplicates": 1,
                     *         "fallbackRecipients": 1,
                     *         "invalidZones": {},
                     *         "provisional": 1,
                     *         "firstDueAt": "2027-03-01T00:00:00.000Z",
                     *         "lastDueAt": "2027-03-01T00:00:00.000Z",
                     *         "expectedEndAt": "2027-03-01T00:00:00.000Z"
                     *       },
                     *       "load": [
                     *         {
                     *           "minute": "2027-03-01T00:00:00.000Z",
                     *           "requests": 1,
                     *           "backlog": 1
                     *         }
                     *       ],
                     *       "tzdata": {
                     *         "source": "/shop/promotions",
                     *         "version": "2026f"
                     *       },
                     *       "nextLookAt": "2027-03-01T00:00:00.000Z",
                     *       "refusal": {
                     *         "code": "DEADLINE",
                     *         "text": "what is wrong, and what is taken",
                     *         "pointer": "/data/delivery/at",
                     *         "difference": null
                     *       },
                     *       "items": [
                     *         {
                     *           "occurrence": "once",
                     *           "cell": "Asia/Seoul|all|all|0",
                     *           "zone": "Asia/Seoul",
                     *           "zoneSource": "given",
                     *           "segment": 1,
                     *           "deviceType": "all",
                     *           "country": "KR",
                     *           "target": {
                     *             "type": "ALL",
                     *             "deviceType": "GCM",
                     *             "to": [
                     *               "…"
                     *             ],
                     *             "country": [
                     *               "…"
                     *             ],
                     *             "timezone": [
                     *               1
                     *             ]
                     *           },
                     *           "local": {
                     *             "asked": "2027-03-01T09:00",
                     *             "reading": {
                     *               "weekday": "Mon",
                     *               "date": "2027-03-01",
                     *               "time": "09:00",
                     *               "offset": "+09:00"
                     *             }
                     *           },
                     *           "intendedAt": "2027-03-01T00:00:00.000Z",
                     *           "dueAt": "2027-03-01T00:00:00.000Z",
                     *           "handOffAt": "2027-03-01T00:00:00.000Z",
                     *           "mode": "immediate",
                     *           "rule": "SCHEDULE_CODE",
                     *           "verdicts": {
                     *             "dst": "exact",
                     *             "passedZone": {
                     *               "kind": "outside",
                     *               "to": "2027-03-01T00:00:00.000Z",
                     *               "afterGap": "…"
                     *             },
                     *             "night": {
                     *               "kind": "outside",
                     *               "to": "2027-03-01T00:00:00.000Z",
                     *               "afterGap": "…"
                     *             },
                     *             "quietHours": {
                     *               "kind": "outside",
                     *               "to": "2027-03-01T00:00:00.000Z",
                     *               "afterGap": "…"
                     *             },
                     *             "jitterMs": 1,
                     *             "paceMs": 1,
                     *             "deadlineAt": "2027-03-01T00:00:00.000Z",
                     *             "lastDueAt": "2027-03-01T00:00:00.000Z",
                     *             "fallback": "INVALID_ZONE",
                     *             "expired": {
                     *               "lateMs": 1
                     *             },
                     *             "late": {
                     *               "lateMs": 1
                     *             },
                     *             "nightRequests": 1,
                     *             "skippedRequests": {}
                     *           },
                     *           "skipped": "DST_GAP",
                     *           "requests": 1,
                     *           "recipients": 1
                     *         }
                     *       ],
                     *       "nextCursor": null,
                     *       "messages": [
                     *         {
                     *           "deviceType": "GCM",
                     *           "language": "…",
                     *           "title": "…",
                     *           "text": "what is wrong, and what is taken",
                     *           "from": "planned",
                     *           "option": {},
                     *           "bytes": 1,
                     *           "isTooLarge": true
                     *         }
                     *       ],
                     *       "moreMessages": true,
                     *       "revision": {
                     *         "verdict": "takes-its-place",
                     *         "reasons": [
                     *           {
                     *             "code": "DEADLINE",
                     *             "text": "what is wrong, and what is taken",
                     *             "pointer": "/data/delivery/at",
                     *             "difference": null
                     *           }
                     *         ],
                     *         "difference": {
                     *           "cells": {
                     *             "same": 1,
                     *             "changed": 1,
                     *             "new": 1,
                     *             "gone": 1,
                     *             "late": 1
                     *           },
                     *           "requests": {
                     *             "same": 1,
                     *             "changed": 1,
                     *             "new": 1,
                     *             "gone": 1,
                     *             "late": 1
                     *           },
                     *           "changed": [
                     *             {
                     *               "occurrence": "once",
                     *               "cell": "Asia/Seoul|all|all|0",
                     *               "what": "same",
                     *               "dueBefore": "2027-03-01T00:00:00.000Z",
                     *               "dueAfter": "2027-03-01T00:00:00.000Z"
                     *             }
                     *           ],
                     *           "kept": [
                     *             "…"
                     *           ],
                     *           "tooLate": 1
                     *         },
                     *         "atOnce": 1,
                     *         "askedOfPushService": 1,
                     *         "inFlight": 1,
                     *         "tooLate": 1,
                     *         "late": {
                     *           "expire": 1,
                     *           "send": 1
                     *         },
                     *         "firstDueAt": "2027-03-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DryRun"];
                };
            };
            400: components["responses"]["Refused_400_10"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_11"];
            413: components["responses"]["Refused_413_4"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_6"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_8"];
        };
    };
    Plans_read: {
        parameters: {
            query?: {
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Rows of a page */
                limit?: number;
            };
            header?: never;
            path: {
                hash: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "planHash": "3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f",
                     *       "serviceId": "shop-app",
                     *       "expiresAt": "2027-03-01T00:00:00.000Z",
                     *       "cells": 1,
                     *       "policy": {
                     *         "dst": {
                     *           "gap": "forward"
                     *         },
                     *         "night": "consented",
                     *         "quietHours": {
                     *           "start": "21:00",
                     *           "end": "08:00",
                     *           "action": "defer"
                     *         },
                     *         "passedZone": "floor:Asia/Seoul",
                     *         "deadline": "P1D",
                     *         "lateness": {
                     *           "max": "PT30M"
                     *         },
                     *         "handoff": "reserve",
                     *         "pace": {
                     *           "perMinute": 6000
                     *         },
                     *         "jitter": "PT30M",
                     *         "split": [
                     *           "country"
                     *         ],
                     *         "approval": "none",
                     *         "testTo": [
                     *           "user-1"
                     *         ]
                     *       },
                     *       "warnings": [
                     *         {
                     *           "code": "DEADLINE",
                     *           "text": "what is wrong, and what is taken",
                     *           "pointer": "/data/delivery/at",
                     *           "difference": null
                     *         }
                     *       ],
                     *       "totals": {
                     *         "cells": 1,
                     *         "requests": 1,
                     *         "skippedRequests": 1,
                     *         "expiredRequests": 1,
                     *         "recipients": 1,
                     *         "duplicates": 1,
                     *         "fallbackRecipients": 1,
                     *         "invalidZones": {},
                     *         "provisional": 1,
                     *         "firstDueAt": "2027-03-01T00:00:00.000Z",
                     *         "lastDueAt": "2027-03-01T00:00:00.000Z",
                     *         "expectedEndAt": "2027-03-01T00:00:00.000Z"
                     *       },
                     *       "load": [
                     *         {
                     *           "minute": "2027-03-01T00:00:00.000Z",
                     *           "requests": 1,
                     *           "backlog": 1
                     *         }
                     *       ],
                     *       "tzdata": {
                     *         "source": "/shop/promotions",
                     *         "version": "2026f"
                     *       },
                     *       "nextLookAt": "2027-03-01T00:00:00.000Z",
                     *       "refusal": {
                     *         "code": "DEADLINE",
                     *         "text": "what is wrong, and what is taken",
                     *         "pointer": "/data/delivery/at",
                     *         "difference": null
                     *       },
                     *       "items": [
                     *         {
                     *           "occurrence": "once",
                     *           "cell": "Asia/Seoul|all|all|0",
                     *           "zone": "Asia/Seoul",
                     *           "zoneSource": "given",
                     *           "segment": 1,
                     *           "deviceType": "all",
                     *           "country": "KR",
                     *           "target": {
                     *             "type": "ALL",
                     *             "deviceType": "GCM",
                     *             "to": [
                     *               "…"
                     *             ],
                     *             "country": [
                     *               "…"
                     *             ],
                     *             "timezone": [
                     *               1
                     *             ]
                     *           },
                     *           "local": {
                     *             "asked": "2027-03-01T09:00",
                     *             "reading": {
                     *               "weekday": "Mon",
                     *               "date": "2027-03-01",
                     *               "time": "09:00",
                     *               "offset": "+09:00"
                     *             }
                     *           },
                     *           "intendedAt": "2027-03-01T00:00:00.000Z",
                     *           "dueAt": "2027-03-01T00:00:00.000Z",
                     *           "handOffAt": "2027-03-01T00:00:00.000Z",
                     *           "mode": "immediate",
                     *           "rule": "SCHEDULE_CODE",
                     *           "verdicts": {
                     *             "dst": "exact",
                     *             "passedZone": {
                     *               "kind": "outside",
                     *               "to": "2027-03-01T00:00:00.000Z",
                     *               "afterGap": "…"
                     *             },
                     *             "night": {
                     *               "kind": "outside",
                     *               "to": "2027-03-01T00:00:00.000Z",
                     *               "afterGap": "…"
                     *             },
                     *             "quietHours": {
                     *               "kind": "outside",
                     *               "to": "2027-03-01T00:00:00.000Z",
                     *               "afterGap": "…"
                     *             },
                     *             "jitterMs": 1,
                     *             "paceMs": 1,
                     *             "deadlineAt": "2027-03-01T00:00:00.000Z",
                     *             "lastDueAt": "2027-03-01T00:00:00.000Z",
                     *             "fallback": "INVALID_ZONE",
                     *             "expired": {
                     *               "lateMs": 1
                     *             },
                     *             "late": {
                     *               "lateMs": 1
                     *             },
                     *             "nightRequests": 1,
                     *             "skippedRequests": {}
                     *           },
                     *           "skipped": "DST_GAP",
                     *           "requests": 1,
                     *           "recipients": 1
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["PreviewedPlan"];
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            414: components["responses"]["Refused_414_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Projects_list: {
        parameters: {
            query?: {
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Rows of a page */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "serviceId": "shop-app",
                     *           "baseUrl": "https://push.example.com",
                     *           "sources": [
                     *             "/shop/*"
                     *           ],
                     *           "rejectionsTopic": "shop.rejections",
                     *           "defaultZone": "Asia/Seoul",
                     *           "gatewayZone": "Asia/Seoul",
                     *           "principalZones": {},
                     *           "policyDefaults": {},
                     *           "reservations": true,
                     *           "minReserveLeadMs": 1,
                     *           "reserveHorizonMs": 1,
                     *           "maxTo": 1,
                     *           "lookupMax": 1,
                     *           "ratePerSecond": 1,
                     *           "inFlight": 1,
                     *           "maxRetries": 1,
                     *           "extensions": [
                     *             "…"
                     *           ],
                     *           "extensionsOff": [
                     *             "…"
                     *           ],
                     *           "onUncertain": "wait",
                     *           "weight": 1,
                     *           "approval": "none",
                     *           "keys": [
                     *             {
                     *               "accessKey": "ak-2027",
                     *               "position": 1,
                     *               "createdAt": "2027-03-01T00:00:00.000Z"
                     *             }
                     *           ],
                     *           "hasApiKey": true,
                     *           "blocked": {
                     *             "code": "DEADLINE",
                     *             "detail": "what happened, in words",
                     *             "until": "2027-03-01T00:00:00.000Z",
                     *             "since": "2027-03-01T00:00:00.000Z",
                     *             "by": "token:ops (0197a5f0-3c00-7000-8000-000000000001)"
                     *           },
                     *           "recalled": true,
                     *           "bounds": {
                     *             "weight": 1,
                     *             "ratePerSecond": 1,
                     *             "inFlight": 1,
                     *             "sources": [
                     *               "/shop/*"
                     *             ]
                     *           },
                     *           "dispatch": {
                     *             "rate": 1,
                     *             "slowedAt": "2027-03-01T00:00:00.000Z",
                     *             "troubles": [
                     *               {
                     *                 "code": "DEADLINE",
                     *                 "detail": "what happened, in words",
                     *                 "processes": 1,
                     *                 "since": "2027-03-01T00:00:00.000Z"
                     *               }
                     *             ]
                     *           },
                     *           "createdAt": "2027-03-01T00:00:00.000Z",
                     *           "updatedAt": "2027-03-01T00:00:00.000Z",
                     *           "warnings": [
                     *             "…"
                     *           ]
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Project"][];
                        /** @description Where the next page begins; null on the last */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Projects_create: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "serviceId": "shop-app",
                 *       "baseUrl": "https://push.example.com"
                 *     }
                 */
                "application/json": {
                    apiKey?: string;
                    /** @enum {string} */
                    approval?: "none" | "required";
                    baseUrl: string;
                    /** @description How far admins of the service may set these settings; only a token for all services may give bounds */
                    bounds?: {
                        inFlight?: number;
                        ratePerSecond?: number;
                        sources?: string[];
                        weight?: number;
                    };
                    defaultZone?: string;
                    /** @description Extensions that are not used even if the gateway offers them */
                    extensionsOff?: ("idempotency-key" | "close-key" | "target-timezone" | "user-timezones" | "result-breakdown")[];
                    gatewayZone?: string;
                    inFlight?: number;
                    key?: {
                        accessKey: string;
                        secretKey: string;
                    };
                    lookupMax?: number;
                    maxRetries?: number;
                    maxTo?: number;
                    minReserveLeadMs?: number;
                    /** @enum {string} */
                    onUncertain?: "wait" | "resend";
                    policyDefaults?: {
                        /** @description ISO 8601 duration after the intended instant, at most a year [P1D]: nothing leaves later than that */
                        deadline?: string | null;
                        /** @description For wall times around a change of the clock */
                        dst?: {
                            /** @description A wall time that does not exist [forward] */
                            gap?: ("forward" | "skip" | "reject") | null;
                            /** @description One that exists twice [first] */
                            overlap?: ("first" | "second" | "reject") | null;
                        } | null;
                        /** @description reserve: hand off as soon as the push service takes a reservation; hold: hand off when it is due [reserve] */
                        handoff?: ("reserve" | "hold") | null;
                        /** @description ISO 8601 duration without months or years [PT0S]: spreads zones that fall on the same instant */
                        jitter?: string | null;
                        /** @description For sends that the scheduler could not hand off at their due: it was down, throttled or blocked */
                        lateness?: {
                            /** @description ISO 8601 duration without months or years [PT30M] */
                            max?: string | null;
                            /** @description What happens to a send that is later than max [expire] */
                            then?: ("expire" | "send") | null;
                        } | null;
                        /** @description For AD, from 21:00 to 08:00 on the recipient's clock [consented]: the push service leaves out users without night consent; defer to 08:00; skip */
                        night?: ("consented" | "defer" | "skip") | null;
                        pace?: {
                            /**
                             * @description Requests
                             * @example 6000
                             */
                            perMinute: number;
                        } | null;
                        /** @description For zones where the wall time is already over [skip]: skip, send-now, next-day, reject, or floor:<zone>: the instant of that wall time in the zone */
                        passedZone?: string | null;
                        quietHours?: {
                            /**
                             * @description Defer to the end of the window, or skip
                             * @example defer
                             * @enum {string}
                             */
                            action: "defer" | "skip";
                            /**
                             * @description HH:mm
                             * @example 21:00
                             */
                            end: string;
                            /**
                             * @description HH:mm
                             * @example 21:00
                             */
                            start: string;
                        } | null;
                        /** @description A send for each value, so that reports show them separately; country needs audience.country */
                        split?: ("deviceType" | "country")[] | null;
                    };
                    principalZones?: {
                        [key: string]: string;
                    };
                    ratePerSecond?: number;
                    rejectionsTopic?: string | null;
                    reservations?: boolean;
                    reserveHorizonMs?: number;
                    serviceId: string;
                    sources?: string[];
                    weight?: number;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serviceId": "shop-app",
                     *       "baseUrl": "https://push.example.com",
                     *       "sources": [
                     *         "/shop/*"
                     *       ],
                     *       "rejectionsTopic": "shop.rejections",
                     *       "defaultZone": "Asia/Seoul",
                     *       "gatewayZone": "Asia/Seoul",
                     *       "principalZones": {},
                     *       "policyDefaults": {},
                     *       "reservations": true,
                     *       "minReserveLeadMs": 1,
                     *       "reserveHorizonMs": 1,
                     *       "maxTo": 1,
                     *       "lookupMax": 1,
                     *       "ratePerSecond": 1,
                     *       "inFlight": 1,
                     *       "maxRetries": 1,
                     *       "extensions": [
                     *         "…"
                     *       ],
                     *       "extensionsOff": [
                     *         "…"
                     *       ],
                     *       "onUncertain": "wait",
                     *       "weight": 1,
                     *       "approval": "none",
                     *       "keys": [
                     *         {
                     *           "accessKey": "ak-2027",
                     *           "position": 1,
                     *           "createdAt": "2027-03-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "hasApiKey": true,
                     *       "blocked": {
                     *         "code": "DEADLINE",
                     *         "detail": "what happened, in words",
                     *         "until": "2027-03-01T00:00:00.000Z",
                     *         "since": "2027-03-01T00:00:00.000Z",
                     *         "by": "token:ops (0197a5f0-3c00-7000-8000-000000000001)"
                     *       },
                     *       "recalled": true,
                     *       "bounds": {
                     *         "weight": 1,
                     *         "ratePerSecond": 1,
                     *         "inFlight": 1,
                     *         "sources": [
                     *           "/shop/*"
                     *         ]
                     *       },
                     *       "dispatch": {
                     *         "rate": 1,
                     *         "slowedAt": "2027-03-01T00:00:00.000Z",
                     *         "troubles": [
                     *           {
                     *             "code": "DEADLINE",
                     *             "detail": "what happened, in words",
                     *             "processes": 1,
                     *             "since": "2027-03-01T00:00:00.000Z"
                     *           }
                     *         ]
                     *       },
                     *       "createdAt": "2027-03-01T00:00:00.000Z",
                     *       "updatedAt": "2027-03-01T00:00:00.000Z",
                     *       "warnings": [
                     *         "…"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_3"];
            409: components["responses"]["Refused_409_12"];
            413: components["responses"]["Refused_413_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Projects_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serviceId": "shop-app",
                     *       "baseUrl": "https://push.example.com",
                     *       "sources": [
                     *         "/shop/*"
                     *       ],
                     *       "rejectionsTopic": "shop.rejections",
                     *       "defaultZone": "Asia/Seoul",
                     *       "gatewayZone": "Asia/Seoul",
                     *       "principalZones": {},
                     *       "policyDefaults": {},
                     *       "reservations": true,
                     *       "minReserveLeadMs": 1,
                     *       "reserveHorizonMs": 1,
                     *       "maxTo": 1,
                     *       "lookupMax": 1,
                     *       "ratePerSecond": 1,
                     *       "inFlight": 1,
                     *       "maxRetries": 1,
                     *       "extensions": [
                     *         "…"
                     *       ],
                     *       "extensionsOff": [
                     *         "…"
                     *       ],
                     *       "onUncertain": "wait",
                     *       "weight": 1,
                     *       "approval": "none",
                     *       "keys": [
                     *         {
                     *           "accessKey": "ak-2027",
                     *           "position": 1,
                     *           "createdAt": "2027-03-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "hasApiKey": true,
                     *       "blocked": {
                     *         "code": "DEADLINE",
                     *         "detail": "what happened, in words",
                     *         "until": "2027-03-01T00:00:00.000Z",
                     *         "since": "2027-03-01T00:00:00.000Z",
                     *         "by": "token:ops (0197a5f0-3c00-7000-8000-000000000001)"
                     *       },
                     *       "recalled": true,
                     *       "bounds": {
                     *         "weight": 1,
                     *         "ratePerSecond": 1,
                     *         "inFlight": 1,
                     *         "sources": [
                     *           "/shop/*"
                     *         ]
                     *       },
                     *       "dispatch": {
                     *         "rate": 1,
                     *         "slowedAt": "2027-03-01T00:00:00.000Z",
                     *         "troubles": [
                     *           {
                     *             "code": "DEADLINE",
                     *             "detail": "what happened, in words",
                     *             "processes": 1,
                     *             "since": "2027-03-01T00:00:00.000Z"
                     *           }
                     *         ]
                     *       },
                     *       "createdAt": "2027-03-01T00:00:00.000Z",
                     *       "updatedAt": "2027-03-01T00:00:00.000Z",
                     *       "warnings": [
                     *         "…"
                     *       ],
                     *       "stopped": {
                     *         "held": 1,
                     *         "atPushService": {
                     *           "reservations": 1,
                     *           "next": "2027-03-01T00:00:00.000Z",
                     *           "standing": 1,
                     *           "inFlight": 1
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ProjectWithStop"];
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            414: components["responses"]["Refused_414_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_3"];
        };
    };
    Projects_patch: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": {
                    apiKey?: string | null;
                    /** @enum {string} */
                    approval?: "none" | "required";
                    baseUrl?: string;
                    /** @description How far admins of the service may set these settings; only a token for all services may give bounds */
                    bounds?: {
                        inFlight?: number;
                        ratePerSecond?: number;
                        sources?: string[];
                        weight?: number;
                    };
                    defaultZone?: string;
                    /** @description Extensions that are not used even if the gateway offers them */
                    extensionsOff?: ("idempotency-key" | "close-key" | "target-timezone" | "user-timezones" | "result-breakdown")[];
                    gatewayZone?: string;
                    inFlight?: number;
                    lookupMax?: number;
                    maxRetries?: number;
                    maxTo?: number;
                    minReserveLeadMs?: number;
                    /** @enum {string} */
                    onUncertain?: "wait" | "resend";
                    policyDefaults?: {
                        /** @description ISO 8601 duration after the intended instant, at most a year [P1D]: nothing leaves later than that */
                        deadline?: string | null;
                        /** @description For wall times around a change of the clock */
                        dst?: {
                            /** @description A wall time that does not exist [forward] */
                            gap?: ("forward" | "skip" | "reject") | null;
                            /** @description One that exists twice [first] */
                            overlap?: ("first" | "second" | "reject") | null;
                        } | null;
                        /** @description reserve: hand off as soon as the push service takes a reservation; hold: hand off when it is due [reserve] */
                        handoff?: ("reserve" | "hold") | null;
                        /** @description ISO 8601 duration without months or years [PT0S]: spreads zones that fall on the same instant */
                        jitter?: string | null;
                        /** @description For sends that the scheduler could not hand off at their due: it was down, throttled or blocked */
                        lateness?: {
                            /** @description ISO 8601 duration without months or years [PT30M] */
                            max?: string | null;
                            /** @description What happens to a send that is later than max [expire] */
                            then?: ("expire" | "send") | null;
                        } | null;
                        /** @description For AD, from 21:00 to 08:00 on the recipient's clock [consented]: the push service leaves out users without night consent; defer to 08:00; skip */
                        night?: ("consented" | "defer" | "skip") | null;
                        pace?: {
                            /**
                             * @description Requests
                             * @example 6000
                             */
                            perMinute: number;
                        } | null;
                        /** @description For zones where the wall time is already over [skip]: skip, send-now, next-day, reject, or floor:<zone>: the instant of that wall time in the zone */
                        passedZone?: string | null;
                        quietHours?: {
                            /**
                             * @description Defer to the end of the window, or skip
                             * @example defer
                             * @enum {string}
                             */
                            action: "defer" | "skip";
                            /**
                             * @description HH:mm
                             * @example 21:00
                             */
                            end: string;
                            /**
                             * @description HH:mm
                             * @example 21:00
                             */
                            start: string;
                        } | null;
                        /** @description A send for each value, so that reports show them separately; country needs audience.country */
                        split?: ("deviceType" | "country")[] | null;
                    };
                    principalZones?: {
                        [key: string]: string;
                    };
                    ratePerSecond?: number;
                    rejectionsTopic?: string | null;
                    reservations?: boolean;
                    reserveHorizonMs?: number;
                    sources?: string[];
                    weight?: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serviceId": "shop-app",
                     *       "baseUrl": "https://push.example.com",
                     *       "sources": [
                     *         "/shop/*"
                     *       ],
                     *       "rejectionsTopic": "shop.rejections",
                     *       "defaultZone": "Asia/Seoul",
                     *       "gatewayZone": "Asia/Seoul",
                     *       "principalZones": {},
                     *       "policyDefaults": {},
                     *       "reservations": true,
                     *       "minReserveLeadMs": 1,
                     *       "reserveHorizonMs": 1,
                     *       "maxTo": 1,
                     *       "lookupMax": 1,
                     *       "ratePerSecond": 1,
                     *       "inFlight": 1,
                     *       "maxRetries": 1,
                     *       "extensions": [
                     *         "…"
                     *       ],
                     *       "extensionsOff": [
                     *         "…"
                     *       ],
                     *       "onUncertain": "wait",
                     *       "weight": 1,
                     *       "approval": "none",
                     *       "keys": [
                     *         {
                     *           "accessKey": "ak-2027",
                     *           "position": 1,
                     *           "createdAt": "2027-03-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "hasApiKey": true,
                     *       "blocked": {
                     *         "code": "DEADLINE",
                     *         "detail": "what happened, in words",
                     *         "until": "2027-03-01T00:00:00.000Z",
                     *         "since": "2027-03-01T00:00:00.000Z",
                     *         "by": "token:ops (0197a5f0-3c00-7000-8000-000000000001)"
                     *       },
                     *       "recalled": true,
                     *       "bounds": {
                     *         "weight": 1,
                     *         "ratePerSecond": 1,
                     *         "inFlight": 1,
                     *         "sources": [
                     *           "/shop/*"
                     *         ]
                     *       },
                     *       "dispatch": {
                     *         "rate": 1,
                     *         "slowedAt": "2027-03-01T00:00:00.000Z",
                     *         "troubles": [
                     *           {
                     *             "code": "DEADLINE",
                     *             "detail": "what happened, in words",
                     *             "processes": 1,
                     *             "since": "2027-03-01T00:00:00.000Z"
                     *           }
                     *         ]
                     *       },
                     *       "createdAt": "2027-03-01T00:00:00.000Z",
                     *       "updatedAt": "2027-03-01T00:00:00.000Z",
                     *       "warnings": [
                     *         "…"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_4"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_3"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Projects_checkGateway: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ok": true,
                     *       "checks": [
                     *         {
                     *           "name": "reachability",
                     *           "ok": true,
                     *           "text": "what is wrong, and what is taken"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["GatewayReport"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_14"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_2"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_7"];
        };
    };
    Projects_addKey: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "accessKey": "ak-2027",
                 *       "secretKey": "the-secret-of-the-key"
                 *     }
                 */
                "application/json": {
                    accessKey: string;
                    secretKey: string;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serviceId": "shop-app",
                     *       "baseUrl": "https://push.example.com",
                     *       "sources": [
                     *         "/shop/*"
                     *       ],
                     *       "rejectionsTopic": "shop.rejections",
                     *       "defaultZone": "Asia/Seoul",
                     *       "gatewayZone": "Asia/Seoul",
                     *       "principalZones": {},
                     *       "policyDefaults": {},
                     *       "reservations": true,
                     *       "minReserveLeadMs": 1,
                     *       "reserveHorizonMs": 1,
                     *       "maxTo": 1,
                     *       "lookupMax": 1,
                     *       "ratePerSecond": 1,
                     *       "inFlight": 1,
                     *       "maxRetries": 1,
                     *       "extensions": [
                     *         "…"
                     *       ],
                     *       "extensionsOff": [
                     *         "…"
                     *       ],
                     *       "onUncertain": "wait",
                     *       "weight": 1,
                     *       "approval": "none",
                     *       "keys": [
                     *         {
                     *           "accessKey": "ak-2027",
                     *           "position": 1,
                     *           "createdAt": "2027-03-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "hasApiKey": true,
                     *       "blocked": {
                     *         "code": "DEADLINE",
                     *         "detail": "what happened, in words",
                     *         "until": "2027-03-01T00:00:00.000Z",
                     *         "since": "2027-03-01T00:00:00.000Z",
                     *         "by": "token:ops (0197a5f0-3c00-7000-8000-000000000001)"
                     *       },
                     *       "recalled": true,
                     *       "bounds": {
                     *         "weight": 1,
                     *         "ratePerSecond": 1,
                     *         "inFlight": 1,
                     *         "sources": [
                     *           "/shop/*"
                     *         ]
                     *       },
                     *       "dispatch": {
                     *         "rate": 1,
                     *         "slowedAt": "2027-03-01T00:00:00.000Z",
                     *         "troubles": [
                     *           {
                     *             "code": "DEADLINE",
                     *             "detail": "what happened, in words",
                     *             "processes": 1,
                     *             "since": "2027-03-01T00:00:00.000Z"
                     *           }
                     *         ]
                     *       },
                     *       "createdAt": "2027-03-01T00:00:00.000Z",
                     *       "updatedAt": "2027-03-01T00:00:00.000Z",
                     *       "warnings": [
                     *         "…"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_3"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Projects_removeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                accessKey: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serviceId": "shop-app",
                     *       "baseUrl": "https://push.example.com",
                     *       "sources": [
                     *         "/shop/*"
                     *       ],
                     *       "rejectionsTopic": "shop.rejections",
                     *       "defaultZone": "Asia/Seoul",
                     *       "gatewayZone": "Asia/Seoul",
                     *       "principalZones": {},
                     *       "policyDefaults": {},
                     *       "reservations": true,
                     *       "minReserveLeadMs": 1,
                     *       "reserveHorizonMs": 1,
                     *       "maxTo": 1,
                     *       "lookupMax": 1,
                     *       "ratePerSecond": 1,
                     *       "inFlight": 1,
                     *       "maxRetries": 1,
                     *       "extensions": [
                     *         "…"
                     *       ],
                     *       "extensionsOff": [
                     *         "…"
                     *       ],
                     *       "onUncertain": "wait",
                     *       "weight": 1,
                     *       "approval": "none",
                     *       "keys": [
                     *         {
                     *           "accessKey": "ak-2027",
                     *           "position": 1,
                     *           "createdAt": "2027-03-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "hasApiKey": true,
                     *       "blocked": {
                     *         "code": "DEADLINE",
                     *         "detail": "what happened, in words",
                     *         "until": "2027-03-01T00:00:00.000Z",
                     *         "since": "2027-03-01T00:00:00.000Z",
                     *         "by": "token:ops (0197a5f0-3c00-7000-8000-000000000001)"
                     *       },
                     *       "recalled": true,
                     *       "bounds": {
                     *         "weight": 1,
                     *         "ratePerSecond": 1,
                     *         "inFlight": 1,
                     *         "sources": [
                     *           "/shop/*"
                     *         ]
                     *       },
                     *       "dispatch": {
                     *         "rate": 1,
                     *         "slowedAt": "2027-03-01T00:00:00.000Z",
                     *         "troubles": [
                     *           {
                     *             "code": "DEADLINE",
                     *             "detail": "what happened, in words",
                     *             "processes": 1,
                     *             "since": "2027-03-01T00:00:00.000Z"
                     *           }
                     *         ]
                     *       },
                     *       "createdAt": "2027-03-01T00:00:00.000Z",
                     *       "updatedAt": "2027-03-01T00:00:00.000Z",
                     *       "warnings": [
                     *         "…"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["Refused_400_5"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_13"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Stop_start: {
        parameters: {
            query?: {
                /** @description true: change nothing, only count */
                preview?: "true" | "false";
            };
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "prices are right"
                 *     }
                 */
                "application/json": {
                    /** @description Shown to people */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serviceId": "shop-app",
                     *       "blocked": {
                     *         "code": "DEADLINE",
                     *         "detail": "what happened, in words",
                     *         "until": "2027-03-01T00:00:00.000Z",
                     *         "since": "2027-03-01T00:00:00.000Z",
                     *         "by": "token:ops (0197a5f0-3c00-7000-8000-000000000001)"
                     *       },
                     *       "recalled": true,
                     *       "changed": true,
                     *       "held": 1,
                     *       "atPushService": {
                     *         "reservations": 1,
                     *         "next": "2027-03-01T00:00:00.000Z",
                     *         "standing": 1,
                     *         "inFlight": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["StoppedProject"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_3"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Stop_stop: {
        parameters: {
            query?: {
                /** @description true: change nothing, only count */
                preview?: "true" | "false";
            };
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "wrong prices",
                 *       "recall": true
                 *     }
                 */
                "application/json": {
                    /** @description Shown to people */
                    reason?: string;
                    /**
                     * @description Also ask the push service to give back what it holds: reservations and standing sends
                     * @default false
                     */
                    recall?: boolean;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serviceId": "shop-app",
                     *       "blocked": {
                     *         "code": "DEADLINE",
                     *         "detail": "what happened, in words",
                     *         "until": "2027-03-01T00:00:00.000Z",
                     *         "since": "2027-03-01T00:00:00.000Z",
                     *         "by": "token:ops (0197a5f0-3c00-7000-8000-000000000001)"
                     *       },
                     *       "recalled": true,
                     *       "changed": true,
                     *       "held": 1,
                     *       "atPushService": {
                     *         "reservations": 1,
                     *         "next": "2027-03-01T00:00:00.000Z",
                     *         "standing": 1,
                     *         "inFlight": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["StoppedProject"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_3"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Erasures_erase: {
        parameters: {
            query: {
                /** @description The push project */
                serviceId: string;
            };
            header?: never;
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            202: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01936d5c-7a00-7000-8000-000000000001",
                     *       "serviceId": "shop-app",
                     *       "userHash": "…",
                     *       "state": "running",
                     *       "askedAt": "2027-03-01T00:00:00.000Z",
                     *       "askedBy": "…",
                     *       "doneAt": "2027-03-01T00:00:00.000Z",
                     *       "pass": 1,
                     *       "waits": 1,
                     *       "removed": [
                     *         {
                     *           "table": "…",
                     *           "rows": 1
                     *         }
                     *       ],
                     *       "notHere": [
                     *         "…"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            400: components["responses"]["Refused_400_5"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Zones_drift: {
        parameters: {
            query: {
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Rows of a page */
                limit?: number;
                /** @description The push project */
                serviceId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "userId": "…",
                     *           "zone": "Asia/Seoul",
                     *           "zoneOffsetSeconds": 1,
                     *           "registeredOffsetSeconds": 1,
                     *           "lookedUpAt": "2027-03-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["RecipientDrift"][];
                        /** @description Where the next page begins; null on the last */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Zones_put: {
        parameters: {
            query: {
                /** @description The push project */
                serviceId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "recipients": [
                 *         {
                 *           "userId": "user-1",
                 *           "zone": "Asia/Seoul"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RecipientZones"];
                /** @example … */
                "application/x-ndjson": string;
                /** @example … */
                "text/csv": string;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "serviceId": "shop-app",
                     *       "rows": 1,
                     *       "written": 1,
                     *       "deleted": 1,
                     *       "older": 1,
                     *       "invalidZones": [
                     *         {
                     *           "value": "…",
                     *           "rows": 1,
                     *           "near": "…"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PutRecipientZones"];
                };
            };
            400: components["responses"]["Refused_400_8"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            413: components["responses"]["Refused_413_3"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_7"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_12"];
        };
    };
    Rejections_list: {
        parameters: {
            query?: {
                code?: "UNREADABLE" | "TOO_LARGE" | "NOT_UTF8" | "NOT_JSON" | "TOO_DEEP" | "DUPLICATE_MEMBER" | "FORBIDDEN_MEMBER" | "NOT_STORABLE" | "NUMBER_NOT_EXACT" | "UNKNOWN_TYPE" | "TIME_TOO_OLD" | "TIME_AHEAD" | "KEY_MISMATCH" | "REQUIRED" | "WRONG_TYPE" | "WRONG_VALUE" | "WRONG_FORMAT" | "TOO_SHORT" | "TOO_LONG" | "UNKNOWN_MEMBER" | "DELIVERY_UNCLEAR" | "ZONE_MISSING" | "ZONE_UNKNOWN" | "NO_SUCH_TIME" | "TIME_PASSED" | "INVALID_RECURRENCE" | "AUDIENCE_UNCLEAR" | "TOO_MANY_CELLS" | "PLAN_TOO_LARGE" | "SERVICE_NOT_ALLOWED" | "UNKNOWN_SERVICE" | "UNKNOWN_LIST" | "LIST_EXPIRED" | "SOURCE_NOT_ALLOWED" | "POLICY_DEFAULTS_INVALID" | "DUPLICATE_WITH_DIFFERENT_CONTENT" | "UNKNOWN_CAMPAIGN" | "UNKNOWN_OCCURRENCE" | "OCCURRENCE_TOO_FAR" | "OCCURRENCE_CLOSED" | "CAMPAIGN_CLOSED" | "SUPERSEDED" | "COULD_NOT_BE_TAKEN" | "MORE";
                /** @description The nextCursor of the page before */
                cursor?: string;
                from?: string;
                /** @description Rows of a page */
                limit?: number;
                serviceId?: string;
                state?: "open" | "replayed" | "discarded";
                to?: string;
                via?: "kafka" | "http";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "01936d5c-7a00-7000-8000-000000000001",
                     *           "eventId": "01936d5c-7a00-7000-8000-000000000001",
                     *           "serviceId": "shop-app",
                     *           "state": "open",
                     *           "problems": [
                     *             {
                     *               "pointer": "/data/delivery/at",
                     *               "code": "UNREADABLE",
                     *               "text": "what is wrong, and what is taken"
                     *             }
                     *           ],
                     *           "rejectedAt": "2027-03-01T00:00:00.000Z",
                     *           "seen": {
                     *             "source": "/shop/promotions",
                     *             "id": "spring-sale-1",
                     *             "type": "…",
                     *             "subject": "spring-sale-2027",
                     *             "time": "09:00"
                     *           },
                     *           "via": "kafka",
                     *           "topic": "…",
                     *           "partition": 1,
                     *           "offset": "+09:00",
                     *           "bytes": 1,
                     *           "replayOf": "01936d5c-7a00-7000-8000-000000000001",
                     *           "replay": {
                     *             "eventId": "01936d5c-7a00-7000-8000-000000000001",
                     *             "campaignId": "01936d5c-7a00-7000-8000-000000000001"
                     *           },
                     *           "settledAt": "2027-03-01T00:00:00.000Z",
                     *           "settledBy": "…",
                     *           "reason": "…"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Rejection"][];
                        /** @description Where the next page begins; null on the last */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Rejections_one: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01936d5c-7a00-7000-8000-000000000001",
                     *       "eventId": "01936d5c-7a00-7000-8000-000000000001",
                     *       "serviceId": "shop-app",
                     *       "state": "open",
                     *       "problems": [
                     *         {
                     *           "pointer": "/data/delivery/at",
                     *           "code": "UNREADABLE",
                     *           "text": "what is wrong, and what is taken"
                     *         }
                     *       ],
                     *       "rejectedAt": "2027-03-01T00:00:00.000Z",
                     *       "seen": {
                     *         "source": "/shop/promotions",
                     *         "id": "spring-sale-1",
                     *         "type": "…",
                     *         "subject": "spring-sale-2027",
                     *         "time": "09:00"
                     *       },
                     *       "via": "kafka",
                     *       "topic": "…",
                     *       "partition": 1,
                     *       "offset": "+09:00",
                     *       "bytes": 1,
                     *       "replayOf": "01936d5c-7a00-7000-8000-000000000001",
                     *       "replay": {
                     *         "eventId": "01936d5c-7a00-7000-8000-000000000001",
                     *         "campaignId": "01936d5c-7a00-7000-8000-000000000001"
                     *       },
                     *       "settledAt": "2027-03-01T00:00:00.000Z",
                     *       "settledBy": "…",
                     *       "reason": "…",
                     *       "event": {},
                     *       "headers": {},
                     *       "bodyBase64": "eyJ0eXBlIjoi4oCmIn0="
                     *     }
                     */
                    "application/json": components["schemas"]["RejectionWithBody"];
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            414: components["responses"]["Refused_414_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_3"];
        };
    };
    Rejections_body: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            414: components["responses"]["Refused_414_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_3"];
        };
    };
    Rejections_discard: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "sent by a test"
                 *     }
                 */
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01936d5c-7a00-7000-8000-000000000001",
                     *       "eventId": "01936d5c-7a00-7000-8000-000000000001",
                     *       "serviceId": "shop-app",
                     *       "state": "open",
                     *       "problems": [
                     *         {
                     *           "pointer": "/data/delivery/at",
                     *           "code": "UNREADABLE",
                     *           "text": "what is wrong, and what is taken"
                     *         }
                     *       ],
                     *       "rejectedAt": "2027-03-01T00:00:00.000Z",
                     *       "seen": {
                     *         "source": "/shop/promotions",
                     *         "id": "spring-sale-1",
                     *         "type": "…",
                     *         "subject": "spring-sale-2027",
                     *         "time": "09:00"
                     *       },
                     *       "via": "kafka",
                     *       "topic": "…",
                     *       "partition": 1,
                     *       "offset": "+09:00",
                     *       "bytes": 1,
                     *       "replayOf": "01936d5c-7a00-7000-8000-000000000001",
                     *       "replay": {
                     *         "eventId": "01936d5c-7a00-7000-8000-000000000001",
                     *         "campaignId": "01936d5c-7a00-7000-8000-000000000001"
                     *       },
                     *       "settledAt": "2027-03-01T00:00:00.000Z",
                     *       "settledBy": "…",
                     *       "reason": "…",
                     *       "changed": true
                     *     }
                     */
                    "application/json": components["schemas"]["SettledRejection"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_15"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Rejections_replay: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /** @description An edited CloudEvent to take in its place, whole, of the same serviceId and subject; the token needs the role publisher too. Left out: the event as it came */
                    event?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01936d5c-7a00-7000-8000-000000000001",
                     *       "eventId": "01936d5c-7a00-7000-8000-000000000001",
                     *       "serviceId": "shop-app",
                     *       "state": "open",
                     *       "problems": [
                     *         {
                     *           "pointer": "/data/delivery/at",
                     *           "code": "UNREADABLE",
                     *           "text": "what is wrong, and what is taken"
                     *         }
                     *       ],
                     *       "rejectedAt": "2027-03-01T00:00:00.000Z",
                     *       "seen": {
                     *         "source": "/shop/promotions",
                     *         "id": "spring-sale-1",
                     *         "type": "…",
                     *         "subject": "spring-sale-2027",
                     *         "time": "09:00"
                     *       },
                     *       "via": "kafka",
                     *       "topic": "…",
                     *       "partition": 1,
                     *       "offset": "+09:00",
                     *       "bytes": 1,
                     *       "replayOf": "01936d5c-7a00-7000-8000-000000000001",
                     *       "replay": {
                     *         "eventId": "01936d5c-7a00-7000-8000-000000000001",
                     *         "campaignId": "01936d5c-7a00-7000-8000-000000000001"
                     *       },
                     *       "settledAt": "2027-03-01T00:00:00.000Z",
                     *       "settledBy": "…",
                     *       "reason": "…",
                     *       "changed": true
                     *     }
                     */
                    "application/json": components["schemas"]["SettledRejection"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_15"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_4"];
        };
    };
    Reports_campaign: {
        parameters: {
            query?: {
                /** @description true: CSV begins with a byte order mark, by which Excel recognizes UTF-8 */
                bom?: "true" | "false";
                /** @description Overrides the header Accept */
                format?: "json" | "csv";
                occurrence?: string;
            };
            header?: never;
            path: {
                /** @description Our id; requests may have serviceId/campaignId (in a path with the slash as %2F) */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "campaign": {
                     *         "id": "01936d5c-7a00-7000-8000-000000000001",
                     *         "serviceId": "shop-app",
                     *         "campaignId": "spring-sale-2027",
                     *         "name": "Spring sale",
                     *         "state": "accepted",
                     *         "revision": 1
                     *       },
                     *       "asOf": "2027-03-01T00:00:00.000Z",
                     *       "final": true,
                     *       "balanced": true,
                     *       "rows": [
                     *         {
                     *           "occurrence": "once",
                     *           "cell": "Asia/Seoul|all|all|0",
                     *           "zone": "Asia/Seoul",
                     *           "zoneSource": "given",
                     *           "segment": 1,
                     *           "deviceType": "all",
                     *           "country": "KR",
                     *           "local": {
                     *             "asked": "2027-03-01T09:00",
                     *             "reading": {
                     *               "weekday": "Mon",
                     *               "date": "2027-03-01",
                     *               "time": "09:00",
                     *               "offset": "+09:00"
                     *             }
                     *           },
                     *           "intendedAt": "2027-03-01T00:00:00.000Z",
                     *           "dueAt": "2027-03-01T00:00:00.000Z",
                     *           "mode": "immediate",
                     *           "rule": "SCHEDULE_CODE",
                     *           "verdicts": {
                     *             "dst": "exact",
                     *             "passedZone": {
                     *               "kind": "outside",
                     *               "to": "2027-03-01T00:00:00.000Z",
                     *               "afterGap": "…"
                     *             },
                     *             "night": {
                     *               "kind": "outside",
                     *               "to": "2027-03-01T00:00:00.000Z",
                     *               "afterGap": "…"
                     *             },
                     *             "quietHours": {
                     *               "kind": "outside",
                     *               "to": "2027-03-01T00:00:00.000Z",
                     *               "afterGap": "…"
                     *             },
                     *             "jitterMs": 1,
                     *             "paceMs": 1,
                     *             "deadlineAt": "2027-03-01T00:00:00.000Z",
                     *             "lastDueAt": "2027-03-01T00:00:00.000Z",
                     *             "fallback": "INVALID_ZONE",
                     *             "expired": {
                     *               "lateMs": 1
                     *             },
                     *             "late": {
                     *               "lateMs": 1
                     *             },
                     *             "nightRequests": 1,
                     *             "skippedRequests": {}
                     *           },
                     *           "skipped": "DST_GAP",
                     *           "recipients": 1,
                     *           "sends": {
                     *             "planned": 1,
                     *             "sent": 1,
                     *             "empty": 1,
                     *             "failed": 1,
                     *             "stale": 1,
                     *             "rejected": 1,
                     *             "canceled": 1,
                     *             "expired": 1,
                     *             "skipped": 1,
                     *             "uncertain": 1,
                     *             "standing": 1,
                     *             "open": 1
                     *           },
                     *           "devices": {
                     *             "target": 1,
                     *             "sent": 1,
                     *             "failed": 1,
                     *             "pending": 1,
                     *             "unknown": 1
                     *           },
                     *           "lateness": {
                     *             "immediate": {
                     *               "count": 1,
                     *               "p50Ms": 1,
                     *               "p95Ms": 1,
                     *               "p99Ms": 1,
                     *               "maxMs": 1
                     *             },
                     *             "reserved": {
                     *               "count": 1,
                     *               "p50Ms": 1,
                     *               "p95Ms": 1,
                     *               "p99Ms": 1,
                     *               "maxMs": 1
                     *             }
                     *           },
                     *           "deferral": {
                     *             "count": 1,
                     *             "p50Ms": 1,
                     *             "p95Ms": 1,
                     *             "p99Ms": 1,
                     *             "maxMs": 1
                     *           },
                     *           "recoveredAfter": {
                     *             "count": 1,
                     *             "p50Ms": 1,
                     *             "p95Ms": 1,
                     *             "p99Ms": 1,
                     *             "maxMs": 1
                     *           },
                     *           "modes": {},
                     *           "final": true,
                     *           "gone": 1,
                     *           "sentRate": {
                     *             "numerator": 1,
                     *             "denominator": 1,
                     *             "rate": 1
                     *           },
                     *           "balanced": true
                     *         }
                     *       ],
                     *       "totals": {
                     *         "sends": {
                     *           "planned": 1,
                     *           "sent": 1,
                     *           "empty": 1,
                     *           "failed": 1,
                     *           "stale": 1,
                     *           "rejected": 1,
                     *           "canceled": 1,
                     *           "expired": 1,
                     *           "skipped": 1,
                     *           "uncertain": 1,
                     *           "standing": 1,
                     *           "open": 1
                     *         },
                     *         "devices": {
                     *           "target": 1,
                     *           "sent": 1,
                     *           "failed": 1,
                     *           "pending": 1,
                     *           "unknown": 1
                     *         },
                     *         "lateness": {
                     *           "immediate": {
                     *             "count": 1,
                     *             "p50Ms": 1,
                     *             "p95Ms": 1,
                     *             "p99Ms": 1,
                     *             "maxMs": 1
                     *           },
                     *           "reserved": {
                     *             "count": 1,
                     *             "p50Ms": 1,
                     *             "p95Ms": 1,
                     *             "p99Ms": 1,
                     *             "maxMs": 1
                     *           }
                     *         },
                     *         "deferral": {
                     *           "count": 1,
                     *           "p50Ms": 1,
                     *           "p95Ms": 1,
                     *           "p99Ms": 1,
                     *           "maxMs": 1
                     *         },
                     *         "recoveredAfter": {
                     *           "count": 1,
                     *           "p50Ms": 1,
                     *           "p95Ms": 1,
                     *           "p99Ms": 1,
                     *           "maxMs": 1
                     *         },
                     *         "modes": {},
                     *         "final": true,
                     *         "gone": 1,
                     *         "sentRate": {
                     *           "numerator": 1,
                     *           "denominator": 1,
                     *           "rate": 1
                     *         },
                     *         "balanced": true
                     *       },
                     *       "funnel": [
                     *         {
                     *           "stage": "given",
                     *           "unit": "ids",
                     *           "of": 1,
                     *           "count": 1,
                     *           "lost": [
                     *             {
                     *               "reason": "…",
                     *               "count": 1,
                     *               "requests": 1,
                     *               "sends": "…"
                     *             }
                     *           ],
                     *           "pending": 1,
                     *           "notTold": 1
                     *         }
                     *       ],
                     *       "standing": [
                     *         {
                     *           "day": "2027-03-01",
                     *           "target": 1,
                     *           "sent": 1,
                     *           "at": "2027-03-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "skipped": [
                     *         {
                     *           "occurrence": "once",
                     *           "code": "DEADLINE",
                     *           "at": "2027-03-01T00:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CampaignReport"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            414: components["responses"]["Refused_414_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_5"];
        };
    };
    Summaries_lateness: {
        parameters: {
            query: {
                /** @description true: CSV begins with a byte order mark, by which Excel recognizes UTF-8 */
                bom?: "true" | "false";
                /** @description Our id */
                campaign?: string;
                /** @description week-before: the same range 168 hours before, which needs from and to; or our id of another campaign */
                compareWith?: string;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Overrides the header Accept */
                format?: "json" | "csv";
                /** @description Due at or after it: a whole minute, or the midnight (UTC) of a date */
                from?: string;
                /** @description One or two of minute, hour, day, localHour, zone, country, deviceType, mode, project, campaign, with a comma between */
                groupBy: string;
                /** @description In place of from and to: so many whole days (UTC) or hours before the present one, as 7d or 24h */
                last?: string;
                /** @description Rows of a page */
                limit?: number;
                mode?: "immediate" | "reserved" | "scheduled";
                /** @description By the keys, ascending or descending, or the most planned first, on the own side */
                order?: "key" | "-key" | "-planned";
                serviceId?: string;
                /** @description A tag of the newest revision, as long as that is kept */
                tag?: string;
                /** @description Due before it: a whole minute, or the midnight (UTC) of a date */
                to?: string;
                zone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "asOf": "2027-03-01T00:00:00.000Z",
                     *       "groupBy": [
                     *         "minute"
                     *       ],
                     *       "comparison": {
                     *         "with": "week-before",
                     *         "campaign": {
                     *           "id": "01936d5c-7a00-7000-8000-000000000001",
                     *           "serviceId": "shop-app",
                     *           "campaignId": "spring-sale-2027",
                     *           "name": "Spring sale"
                     *         },
                     *         "from": "2027-03-01T00:00:00.000Z",
                     *         "to": "2027-03-01T00:00:00.000Z"
                     *       },
                     *       "totals": {
                     *         "immediate": {
                     *           "count": 1,
                     *           "p50Ms": 1,
                     *           "p95Ms": 1,
                     *           "p99Ms": 1,
                     *           "maxMs": 1,
                     *           "buckets": [
                     *             {
                     *               "fromMs": 1,
                     *               "toMs": 1,
                     *               "count": 1
                     *             }
                     *           ]
                     *         },
                     *         "reserved": {
                     *           "count": 1,
                     *           "p50Ms": 1,
                     *           "p95Ms": 1,
                     *           "p99Ms": 1,
                     *           "maxMs": 1,
                     *           "buckets": [
                     *             {
                     *               "fromMs": 1,
                     *               "toMs": 1,
                     *               "count": 1
                     *             }
                     *           ]
                     *         },
                     *         "deferral": {
                     *           "count": 1,
                     *           "p50Ms": 1,
                     *           "p95Ms": 1,
                     *           "p99Ms": 1,
                     *           "maxMs": 1,
                     *           "buckets": [
                     *             {
                     *               "fromMs": 1,
                     *               "toMs": 1,
                     *               "count": 1
                     *             }
                     *           ]
                     *         },
                     *         "recovered": {
                     *           "count": 1,
                     *           "p50Ms": 1,
                     *           "p95Ms": 1,
                     *           "p99Ms": 1,
                     *           "maxMs": 1,
                     *           "buckets": [
                     *             {
                     *               "fromMs": 1,
                     *               "toMs": 1,
                     *               "count": 1
                     *             }
                     *           ]
                     *         },
                     *         "compared": {
                     *           "immediate": {
                     *             "count": 1,
                     *             "p50Ms": 1,
                     *             "p95Ms": 1,
                     *             "p99Ms": 1,
                     *             "maxMs": 1,
                     *             "buckets": [
                     *               {
                     *                 "fromMs": 1,
                     *                 "toMs": 1,
                     *                 "count": 1
                     *               }
                     *             ]
                     *           },
                     *           "reserved": {
                     *             "count": 1,
                     *             "p50Ms": 1,
                     *             "p95Ms": 1,
                     *             "p99Ms": 1,
                     *             "maxMs": 1,
                     *             "buckets": [
                     *               {
                     *                 "fromMs": 1,
                     *                 "toMs": 1,
                     *                 "count": 1
                     *               }
                     *             ]
                     *           },
                     *           "deferral": {
                     *             "count": 1,
                     *             "p50Ms": 1,
                     *             "p95Ms": 1,
                     *             "p99Ms": 1,
                     *             "maxMs": 1,
                     *             "buckets": [
                     *               {
                     *                 "fromMs": 1,
                     *                 "toMs": 1,
                     *                 "count": 1
                     *               }
                     *             ]
                     *           },
                     *           "recovered": {
                     *             "count": 1,
                     *             "p50Ms": 1,
                     *             "p95Ms": 1,
                     *             "p99Ms": 1,
                     *             "maxMs": 1,
                     *             "buckets": [
                     *               {
                     *                 "fromMs": 1,
                     *                 "toMs": 1,
                     *                 "count": 1
                     *               }
                     *             ]
                     *           }
                     *         },
                     *         "notCompared": "PAST_RETENTION"
                     *       },
                     *       "rows": [
                     *         {
                     *           "immediate": {
                     *             "count": 1,
                     *             "p50Ms": 1,
                     *             "p95Ms": 1,
                     *             "p99Ms": 1,
                     *             "maxMs": 1,
                     *             "buckets": [
                     *               {
                     *                 "fromMs": 1,
                     *                 "toMs": 1,
                     *                 "count": 1
                     *               }
                     *             ]
                     *           },
                     *           "reserved": {
                     *             "count": 1,
                     *             "p50Ms": 1,
                     *             "p95Ms": 1,
                     *             "p99Ms": 1,
                     *             "maxMs": 1,
                     *             "buckets": [
                     *               {
                     *                 "fromMs": 1,
                     *                 "toMs": 1,
                     *                 "count": 1
                     *               }
                     *             ]
                     *           },
                     *           "deferral": {
                     *             "count": 1,
                     *             "p50Ms": 1,
                     *             "p95Ms": 1,
                     *             "p99Ms": 1,
                     *             "maxMs": 1,
                     *             "buckets": [
                     *               {
                     *                 "fromMs": 1,
                     *                 "toMs": 1,
                     *                 "count": 1
                     *               }
                     *             ]
                     *           },
                     *           "recovered": {
                     *             "count": 1,
                     *             "p50Ms": 1,
                     *             "p95Ms": 1,
                     *             "p99Ms": 1,
                     *             "maxMs": 1,
                     *             "buckets": [
                     *               {
                     *                 "fromMs": 1,
                     *                 "toMs": 1,
                     *                 "count": 1
                     *               }
                     *             ]
                     *           },
                     *           "key": {},
                     *           "campaign": {
                     *             "campaignId": "spring-sale-2027",
                     *             "name": "Spring sale"
                     *           },
                     *           "compared": {
                     *             "immediate": {
                     *               "count": 1,
                     *               "p50Ms": 1,
                     *               "p95Ms": 1,
                     *               "p99Ms": 1,
                     *               "maxMs": 1,
                     *               "buckets": [
                     *                 {
                     *                   "fromMs": 1,
                     *                   "toMs": 1,
                     *                   "count": 1
                     *                 }
                     *               ]
                     *             },
                     *             "reserved": {
                     *               "count": 1,
                     *               "p50Ms": 1,
                     *               "p95Ms": 1,
                     *               "p99Ms": 1,
                     *               "maxMs": 1,
                     *               "buckets": [
                     *                 {
                     *                   "fromMs": 1,
                     *                   "toMs": 1,
                     *                   "count": 1
                     *                 }
                     *               ]
                     *             },
                     *             "deferral": {
                     *               "count": 1,
                     *               "p50Ms": 1,
                     *               "p95Ms": 1,
                     *               "p99Ms": 1,
                     *               "maxMs": 1,
                     *               "buckets": [
                     *                 {
                     *                   "fromMs": 1,
                     *                   "toMs": 1,
                     *                   "count": 1
                     *                 }
                     *               ]
                     *             },
                     *             "recovered": {
                     *               "count": 1,
                     *               "p50Ms": 1,
                     *               "p95Ms": 1,
                     *               "p99Ms": 1,
                     *               "maxMs": 1,
                     *               "buckets": [
                     *                 {
                     *                   "fromMs": 1,
                     *                   "toMs": 1,
                     *                   "count": 1
                     *                 }
                     *               ]
                     *             },
                     *             "key": {}
                     *           },
                     *           "notCompared": "PAST_RETENTION"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["LatenessReport"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_11"];
        };
    };
    Summaries_summary: {
        parameters: {
            query: {
                /** @description true: CSV begins with a byte order mark, by which Excel recognizes UTF-8 */
                bom?: "true" | "false";
                /** @description Our id */
                campaign?: string;
                /** @description week-before: the same range 168 hours before, which needs from and to; or our id of another campaign */
                compareWith?: string;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Overrides the header Accept */
                format?: "json" | "csv";
                /** @description Due at or after it: a whole minute, or the midnight (UTC) of a date */
                from?: string;
                /** @description One or two of minute, hour, day, localHour, zone, country, deviceType, language, mode, project, campaign, code, with a comma between */
                groupBy: string;
                /** @description In place of from and to: so many whole days (UTC) or hours before the present one, as 7d or 24h */
                last?: string;
                /** @description Rows of a page */
                limit?: number;
                mode?: "immediate" | "reserved" | "scheduled";
                /** @description By the keys, ascending or descending, or the most planned first, on the own side */
                order?: "key" | "-key" | "-planned";
                /** @description Also show what breakdowns reported; always shown by deviceType, country or language */
                reported?: "true" | "false";
                serviceId?: string;
                /** @description A tag of the newest revision, as long as that is kept */
                tag?: string;
                /** @description Due before it: a whole minute, or the midnight (UTC) of a date */
                to?: string;
                zone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "asOf": "2027-03-01T00:00:00.000Z",
                     *       "groupBy": [
                     *         "minute"
                     *       ],
                     *       "final": true,
                     *       "balanced": true,
                     *       "comparison": {
                     *         "with": "week-before",
                     *         "campaign": {
                     *           "id": "01936d5c-7a00-7000-8000-000000000001",
                     *           "serviceId": "shop-app",
                     *           "campaignId": "spring-sale-2027",
                     *           "name": "Spring sale"
                     *         },
                     *         "from": "2027-03-01T00:00:00.000Z",
                     *         "to": "2027-03-01T00:00:00.000Z",
                     *         "final": true,
                     *         "balanced": true
                     *       },
                     *       "totals": {
                     *         "sends": {
                     *           "planned": 1,
                     *           "sent": 1,
                     *           "empty": 1,
                     *           "failed": 1,
                     *           "stale": 1,
                     *           "rejected": 1,
                     *           "canceled": 1,
                     *           "expired": 1,
                     *           "skipped": 1,
                     *           "uncertain": 1,
                     *           "standing": 1,
                     *           "open": 1
                     *         },
                     *         "devices": {
                     *           "target": 1,
                     *           "sent": 1,
                     *           "failed": 1,
                     *           "pending": 1,
                     *           "unknown": 1
                     *         },
                     *         "sentRate": {
                     *           "numerator": 1,
                     *           "denominator": 1,
                     *           "rate": 1
                     *         },
                     *         "reasons": [
                     *           {
                     *             "state": "planned",
                     *             "code": "DEADLINE",
                     *             "sends": 1
                     *           }
                     *         ],
                     *         "final": true,
                     *         "reported": {
                     *           "devices": {
                     *             "sent": 1,
                     *             "failed": 1,
                     *             "unknown": 1,
                     *             "suppressed": 1,
                     *             "notReported": 1
                     *           },
                     *           "reasons": [
                     *             {
                     *               "outcome": "sent",
                     *               "reason": "…",
                     *               "devices": 1
                     *             }
                     *           ]
                     *         },
                     *         "balanced": true,
                     *         "compared": {
                     *           "sends": {
                     *             "planned": 1,
                     *             "sent": 1,
                     *             "empty": 1,
                     *             "failed": 1,
                     *             "stale": 1,
                     *             "rejected": 1,
                     *             "canceled": 1,
                     *             "expired": 1,
                     *             "skipped": 1,
                     *             "uncertain": 1,
                     *             "standing": 1,
                     *             "open": 1
                     *           },
                     *           "devices": {
                     *             "target": 1,
                     *             "sent": 1,
                     *             "failed": 1,
                     *             "pending": 1,
                     *             "unknown": 1
                     *           },
                     *           "sentRate": {
                     *             "numerator": 1,
                     *             "denominator": 1,
                     *             "rate": 1
                     *           },
                     *           "reasons": [
                     *             {
                     *               "state": "planned",
                     *               "code": "DEADLINE",
                     *               "sends": 1
                     *             }
                     *           ],
                     *           "final": true,
                     *           "reported": {
                     *             "devices": {
                     *               "sent": 1,
                     *               "failed": 1,
                     *               "unknown": 1,
                     *               "suppressed": 1,
                     *               "notReported": 1
                     *             },
                     *             "reasons": [
                     *               {
                     *                 "outcome": "sent",
                     *                 "reason": "…",
                     *                 "devices": 1
                     *               }
                     *             ]
                     *           },
                     *           "balanced": true
                     *         },
                     *         "notCompared": "PAST_RETENTION"
                     *       },
                     *       "rows": [
                     *         {
                     *           "sends": {
                     *             "planned": 1,
                     *             "sent": 1,
                     *             "empty": 1,
                     *             "failed": 1,
                     *             "stale": 1,
                     *             "rejected": 1,
                     *             "canceled": 1,
                     *             "expired": 1,
                     *             "skipped": 1,
                     *             "uncertain": 1,
                     *             "standing": 1,
                     *             "open": 1
                     *           },
                     *           "devices": {
                     *             "target": 1,
                     *             "sent": 1,
                     *             "failed": 1,
                     *             "pending": 1,
                     *             "unknown": 1
                     *           },
                     *           "sentRate": {
                     *             "numerator": 1,
                     *             "denominator": 1,
                     *             "rate": 1
                     *           },
                     *           "reasons": [
                     *             {
                     *               "state": "planned",
                     *               "code": "DEADLINE",
                     *               "sends": 1
                     *             }
                     *           ],
                     *           "final": true,
                     *           "reported": {
                     *             "devices": {
                     *               "sent": 1,
                     *               "failed": 1,
                     *               "unknown": 1,
                     *               "suppressed": 1,
                     *               "notReported": 1
                     *             },
                     *             "reasons": [
                     *               {
                     *                 "outcome": "sent",
                     *                 "reason": "…",
                     *                 "devices": 1
                     *               }
                     *             ]
                     *           },
                     *           "balanced": true,
                     *           "key": {},
                     *           "campaign": {
                     *             "campaignId": "spring-sale-2027",
                     *             "name": "Spring sale"
                     *           },
                     *           "compared": {
                     *             "sends": {
                     *               "planned": 1,
                     *               "sent": 1,
                     *               "empty": 1,
                     *               "failed": 1,
                     *               "stale": 1,
                     *               "rejected": 1,
                     *               "canceled": 1,
                     *               "expired": 1,
                     *               "skipped": 1,
                     *               "uncertain": 1,
                     *               "standing": 1,
                     *               "open": 1
                     *             },
                     *             "devices": {
                     *               "target": 1,
                     *               "sent": 1,
                     *               "failed": 1,
                     *               "pending": 1,
                     *               "unknown": 1
                     *             },
                     *             "sentRate": {
                     *               "numerator": 1,
                     *               "denominator": 1,
                     *               "rate": 1
                     *             },
                     *             "reasons": [
                     *               {
                     *                 "state": "planned",
                     *                 "code": "DEADLINE",
                     *                 "sends": 1
                     *               }
                     *             ],
                     *             "final": true,
                     *             "reported": {
                     *               "devices": {
                     *                 "sent": 1,
                     *                 "failed": 1,
                     *                 "unknown": 1,
                     *                 "suppressed": 1,
                     *                 "notReported": 1
                     *               },
                     *               "reasons": [
                     *                 {
                     *                   "outcome": "sent",
                     *                   "reason": "…",
                     *                   "devices": 1
                     *                 }
                     *               ]
                     *             },
                     *             "balanced": true,
                     *             "key": {}
                     *           },
                     *           "notCompared": "PAST_RETENTION"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["SummaryReport"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_11"];
        };
    };
    Resolves_list: {
        parameters: {
            query?: {
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Rows of a page */
                limit?: number;
                /** @description Only sets over this service alone */
                serviceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "token": "01936d5c-7a00-7000-8000-000000000001",
                     *           "createdAt": "2027-03-01T00:00:00.000Z",
                     *           "createdBy": "token:ops (0197a5f0-3c00-7000-8000-000000000001)",
                     *           "expiresAt": "2027-03-01T00:00:00.000Z",
                     *           "confirmedAt": "2027-03-01T00:00:00.000Z",
                     *           "confirmedBy": "…",
                     *           "doneAt": "2027-03-01T00:00:00.000Z",
                     *           "found": 1,
                     *           "state": "gathering",
                     *           "filter": {
                     *             "serviceId": "shop-app",
                     *             "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *             "occurrence": "once",
                     *             "cell": "Asia/Seoul|all|all|0",
                     *             "zone": "Asia/Seoul",
                     *             "mode": "immediate",
                     *             "code": "DEADLINE",
                     *             "reason": "…",
                     *             "httpStatus": "none",
                     *             "requestId": "01936d5c-7a00-7000-8000-000000000001",
                     *             "dueFrom": "…",
                     *             "dueTo": "…",
                     *             "since": "…",
                     *             "until": "…",
                     *             "lateOver": 1,
                     *             "deferred": true,
                     *             "states": [
                     *               "uncertain"
                     *             ],
                     *             "sends": [
                     *               "01936d5c-7a00-7000-8000-000000000001"
                     *             ]
                     *           },
                     *           "resolution": "confirmed-sent",
                     *           "reason": "…",
                     *           "resolved": 1,
                     *           "leftOut": {},
                     *           "resolve": 1
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Resolves"][];
                        /** @description Where the next page begins; null on the last */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Resolves_confirm: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    token: string;
                };
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "01936d5c-7a00-7000-8000-000000000001",
                     *       "createdAt": "2027-03-01T00:00:00.000Z",
                     *       "createdBy": "token:ops (0197a5f0-3c00-7000-8000-000000000001)",
                     *       "expiresAt": "2027-03-01T00:00:00.000Z",
                     *       "confirmedAt": "2027-03-01T00:00:00.000Z",
                     *       "confirmedBy": "…",
                     *       "doneAt": "2027-03-01T00:00:00.000Z",
                     *       "found": 1,
                     *       "state": "gathering",
                     *       "filter": {
                     *         "serviceId": "shop-app",
                     *         "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *         "occurrence": "once",
                     *         "cell": "Asia/Seoul|all|all|0",
                     *         "zone": "Asia/Seoul",
                     *         "mode": "immediate",
                     *         "code": "DEADLINE",
                     *         "reason": "…",
                     *         "httpStatus": "none",
                     *         "requestId": "01936d5c-7a00-7000-8000-000000000001",
                     *         "dueFrom": "…",
                     *         "dueTo": "…",
                     *         "since": "…",
                     *         "until": "…",
                     *         "lateOver": 1,
                     *         "deferred": true,
                     *         "states": [
                     *           "uncertain"
                     *         ],
                     *         "sends": [
                     *           "01936d5c-7a00-7000-8000-000000000001"
                     *         ]
                     *       },
                     *       "resolution": "confirmed-sent",
                     *       "reason": "…",
                     *       "resolved": 1,
                     *       "leftOut": {},
                     *       "resolve": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Resolves"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_16"];
            413: components["responses"]["Refused_413_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Resolves_read: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "01936d5c-7a00-7000-8000-000000000001",
                     *       "createdAt": "2027-03-01T00:00:00.000Z",
                     *       "createdBy": "token:ops (0197a5f0-3c00-7000-8000-000000000001)",
                     *       "expiresAt": "2027-03-01T00:00:00.000Z",
                     *       "confirmedAt": "2027-03-01T00:00:00.000Z",
                     *       "confirmedBy": "…",
                     *       "doneAt": "2027-03-01T00:00:00.000Z",
                     *       "found": 1,
                     *       "state": "gathering",
                     *       "filter": {
                     *         "serviceId": "shop-app",
                     *         "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *         "occurrence": "once",
                     *         "cell": "Asia/Seoul|all|all|0",
                     *         "zone": "Asia/Seoul",
                     *         "mode": "immediate",
                     *         "code": "DEADLINE",
                     *         "reason": "…",
                     *         "httpStatus": "none",
                     *         "requestId": "01936d5c-7a00-7000-8000-000000000001",
                     *         "dueFrom": "…",
                     *         "dueTo": "…",
                     *         "since": "…",
                     *         "until": "…",
                     *         "lateOver": 1,
                     *         "deferred": true,
                     *         "states": [
                     *           "uncertain"
                     *         ],
                     *         "sends": [
                     *           "01936d5c-7a00-7000-8000-000000000001"
                     *         ]
                     *       },
                     *       "resolution": "confirmed-sent",
                     *       "reason": "…",
                     *       "resolved": 1,
                     *       "leftOut": {},
                     *       "resolve": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Resolves"];
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            414: components["responses"]["Refused_414_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_3"];
        };
    };
    Resolves_items: {
        parameters: {
            query?: {
                code?: string;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Rows of a page */
                limit?: number;
                /** @description Any of planned, sending, accepted, reserved, scheduled, canceling, held, uncertain, sent, failed, empty, stale, rejected, canceled, expired, skipped, superseded, with commas */
                state?: string;
            };
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "send": "01936d5c-7a00-7000-8000-000000000001",
                     *           "serviceId": "shop-app",
                     *           "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *           "state": "planned",
                     *           "code": "DEADLINE"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["ResolveItem"][];
                        /** @description Where the next page begins; null on the last */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            414: components["responses"]["Refused_414_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Resolves_preview: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "resolution": "confirmed-sent"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description Our id
                     */
                    campaign?: string;
                    cell?: string;
                    /** @description Why it is in its state; none: there is no code */
                    code?: string;
                    /** @description Whether it was moved to later than the time intended */
                    deferred?: boolean;
                    /**
                     * Format: date-time
                     * @description Due at or after this; a retry by its chunk's first due, as in reports …
                     */
                    dueFrom?: string;
                    /**
                     * Format: date-time
                     * @description … and before this
                     */
                    dueTo?: string;
                    /** @description Of the newest attempt's answer; none: there was no answer */
                    httpStatus?: "none" | number;
                    /** @description Its lateness, as in reports, is above this: milliseconds or PT30S */
                    lateOver?: number | string;
                    /** @enum {string} */
                    mode?: "immediate" | "reserved" | "scheduled";
                    occurrence?: string;
                    reason?: string;
                    /** @description The push service's */
                    requestId?: string;
                    /** @enum {string} */
                    resolution: "confirmed-sent" | "confirmed-not-sent";
                    sends?: string[];
                    /** @description Of the project */
                    serviceId?: string;
                    /**
                     * Format: date-time
                     * @description It came to its state at or after this …
                     */
                    since?: string;
                    /**
                     * Format: date-time
                     * @description … and before this
                     */
                    until?: string;
                    /** @description The cell's */
                    zone?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "01936d5c-7a00-7000-8000-000000000001",
                     *       "createdAt": "2027-03-01T00:00:00.000Z",
                     *       "createdBy": "token:ops (0197a5f0-3c00-7000-8000-000000000001)",
                     *       "expiresAt": "2027-03-01T00:00:00.000Z",
                     *       "confirmedAt": "2027-03-01T00:00:00.000Z",
                     *       "confirmedBy": "…",
                     *       "doneAt": "2027-03-01T00:00:00.000Z",
                     *       "found": 1,
                     *       "state": "gathering",
                     *       "filter": {
                     *         "serviceId": "shop-app",
                     *         "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *         "occurrence": "once",
                     *         "cell": "Asia/Seoul|all|all|0",
                     *         "zone": "Asia/Seoul",
                     *         "mode": "immediate",
                     *         "code": "DEADLINE",
                     *         "reason": "…",
                     *         "httpStatus": "none",
                     *         "requestId": "01936d5c-7a00-7000-8000-000000000001",
                     *         "dueFrom": "…",
                     *         "dueTo": "…",
                     *         "since": "…",
                     *         "until": "…",
                     *         "lateOver": 1,
                     *         "deferred": true,
                     *         "states": [
                     *           "uncertain"
                     *         ],
                     *         "sends": [
                     *           "01936d5c-7a00-7000-8000-000000000001"
                     *         ]
                     *       },
                     *       "resolution": "confirmed-sent",
                     *       "reason": "…",
                     *       "resolved": 1,
                     *       "leftOut": {},
                     *       "resolve": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Resolves"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_3"];
            413: components["responses"]["Refused_413_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Retries_list: {
        parameters: {
            query?: {
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Rows of a page */
                limit?: number;
                /** @description Only sets over this service alone */
                serviceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "token": "01936d5c-7a00-7000-8000-000000000001",
                     *           "createdAt": "2027-03-01T00:00:00.000Z",
                     *           "createdBy": "token:ops (0197a5f0-3c00-7000-8000-000000000001)",
                     *           "expiresAt": "2027-03-01T00:00:00.000Z",
                     *           "confirmedAt": "2027-03-01T00:00:00.000Z",
                     *           "confirmedBy": "…",
                     *           "doneAt": "2027-03-01T00:00:00.000Z",
                     *           "found": 1,
                     *           "state": "gathering",
                     *           "filter": {
                     *             "serviceId": "shop-app",
                     *             "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *             "occurrence": "once",
                     *             "cell": "Asia/Seoul|all|all|0",
                     *             "zone": "Asia/Seoul",
                     *             "mode": "immediate",
                     *             "code": "DEADLINE",
                     *             "reason": "…",
                     *             "httpStatus": "none",
                     *             "requestId": "01936d5c-7a00-7000-8000-000000000001",
                     *             "dueFrom": "…",
                     *             "dueTo": "…",
                     *             "since": "…",
                     *             "until": "…",
                     *             "lateOver": 1,
                     *             "deferred": true,
                     *             "states": [
                     *               "failed"
                     *             ],
                     *             "sends": [
                     *               "01936d5c-7a00-7000-8000-000000000001"
                     *             ],
                     *             "stale": true
                     *           },
                     *           "asked": {
                     *             "done": 1,
                     *             "of": 1
                     *           },
                     *           "retried": 1,
                     *           "leftOut": {},
                     *           "retry": 1,
                     *           "devices": 1,
                     *           "unknownDevices": 1,
                     *           "oldestDueAt": "2027-03-01T00:00:00.000Z",
                     *           "campaigns": [
                     *             {
                     *               "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *               "sends": 1
                     *             }
                     *           ],
                     *           "campaignCount": 1,
                     *           "campaignCountIsLeast": true,
                     *           "failsAgain": {},
                     *           "due": {
                     *             "first": "2027-03-01T00:00:00.000Z",
                     *             "last": "2027-03-01T00:00:00.000Z",
                     *             "deferred": 1
                     *           }
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Retries"][];
                        /** @description Where the next page begins; null on the last */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Retries_confirm: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    token: string;
                };
            };
        };
        responses: {
            /** @description Done */
            202: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "01936d5c-7a00-7000-8000-000000000001",
                     *       "createdAt": "2027-03-01T00:00:00.000Z",
                     *       "createdBy": "token:ops (0197a5f0-3c00-7000-8000-000000000001)",
                     *       "expiresAt": "2027-03-01T00:00:00.000Z",
                     *       "confirmedAt": "2027-03-01T00:00:00.000Z",
                     *       "confirmedBy": "…",
                     *       "doneAt": "2027-03-01T00:00:00.000Z",
                     *       "found": 1,
                     *       "state": "gathering",
                     *       "filter": {
                     *         "serviceId": "shop-app",
                     *         "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *         "occurrence": "once",
                     *         "cell": "Asia/Seoul|all|all|0",
                     *         "zone": "Asia/Seoul",
                     *         "mode": "immediate",
                     *         "code": "DEADLINE",
                     *         "reason": "…",
                     *         "httpStatus": "none",
                     *         "requestId": "01936d5c-7a00-7000-8000-000000000001",
                     *         "dueFrom": "…",
                     *         "dueTo": "…",
                     *         "since": "…",
                     *         "until": "…",
                     *         "lateOver": 1,
                     *         "deferred": true,
                     *         "states": [
                     *           "failed"
                     *         ],
                     *         "sends": [
                     *           "01936d5c-7a00-7000-8000-000000000001"
                     *         ],
                     *         "stale": true
                     *       },
                     *       "asked": {
                     *         "done": 1,
                     *         "of": 1
                     *       },
                     *       "retried": 1,
                     *       "leftOut": {},
                     *       "retry": 1,
                     *       "devices": 1,
                     *       "unknownDevices": 1,
                     *       "oldestDueAt": "2027-03-01T00:00:00.000Z",
                     *       "campaigns": [
                     *         {
                     *           "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *           "sends": 1
                     *         }
                     *       ],
                     *       "campaignCount": 1,
                     *       "campaignCountIsLeast": true,
                     *       "failsAgain": {},
                     *       "due": {
                     *         "first": "2027-03-01T00:00:00.000Z",
                     *         "last": "2027-03-01T00:00:00.000Z",
                     *         "deferred": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Retries"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_16"];
            413: components["responses"]["Refused_413_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Retries_read: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "01936d5c-7a00-7000-8000-000000000001",
                     *       "createdAt": "2027-03-01T00:00:00.000Z",
                     *       "createdBy": "token:ops (0197a5f0-3c00-7000-8000-000000000001)",
                     *       "expiresAt": "2027-03-01T00:00:00.000Z",
                     *       "confirmedAt": "2027-03-01T00:00:00.000Z",
                     *       "confirmedBy": "…",
                     *       "doneAt": "2027-03-01T00:00:00.000Z",
                     *       "found": 1,
                     *       "state": "gathering",
                     *       "filter": {
                     *         "serviceId": "shop-app",
                     *         "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *         "occurrence": "once",
                     *         "cell": "Asia/Seoul|all|all|0",
                     *         "zone": "Asia/Seoul",
                     *         "mode": "immediate",
                     *         "code": "DEADLINE",
                     *         "reason": "…",
                     *         "httpStatus": "none",
                     *         "requestId": "01936d5c-7a00-7000-8000-000000000001",
                     *         "dueFrom": "…",
                     *         "dueTo": "…",
                     *         "since": "…",
                     *         "until": "…",
                     *         "lateOver": 1,
                     *         "deferred": true,
                     *         "states": [
                     *           "failed"
                     *         ],
                     *         "sends": [
                     *           "01936d5c-7a00-7000-8000-000000000001"
                     *         ],
                     *         "stale": true
                     *       },
                     *       "asked": {
                     *         "done": 1,
                     *         "of": 1
                     *       },
                     *       "retried": 1,
                     *       "leftOut": {},
                     *       "retry": 1,
                     *       "devices": 1,
                     *       "unknownDevices": 1,
                     *       "oldestDueAt": "2027-03-01T00:00:00.000Z",
                     *       "campaigns": [
                     *         {
                     *           "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *           "sends": 1
                     *         }
                     *       ],
                     *       "campaignCount": 1,
                     *       "campaignCountIsLeast": true,
                     *       "failsAgain": {},
                     *       "due": {
                     *         "first": "2027-03-01T00:00:00.000Z",
                     *         "last": "2027-03-01T00:00:00.000Z",
                     *         "deferred": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Retries"];
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            414: components["responses"]["Refused_414_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_3"];
        };
    };
    Retries_items: {
        parameters: {
            query?: {
                code?: string;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Rows of a page */
                limit?: number;
                /** @description Any of planned, sending, accepted, reserved, scheduled, canceling, held, uncertain, sent, failed, empty, stale, rejected, canceled, expired, skipped, superseded, with commas */
                state?: string;
            };
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "send": "01936d5c-7a00-7000-8000-000000000001",
                     *           "serviceId": "shop-app",
                     *           "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *           "state": "planned",
                     *           "code": "DEADLINE",
                     *           "waitsFor": "question"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["RetryItem"][];
                        /** @description Where the next page begins; null on the last */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            414: components["responses"]["Refused_414_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Retries_preview: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": {
                    /**
                     * Format: uuid
                     * @description Our id
                     */
                    campaign?: string;
                    cell?: string;
                    /** @description Why it is in its state; none: there is no code */
                    code?: string;
                    /** @description Whether it was moved to later than the time intended */
                    deferred?: boolean;
                    /**
                     * Format: date-time
                     * @description Due at or after this; a retry by its chunk's first due, as in reports …
                     */
                    dueFrom?: string;
                    /**
                     * Format: date-time
                     * @description … and before this
                     */
                    dueTo?: string;
                    /** @description Of the newest attempt's answer; none: there was no answer */
                    httpStatus?: "none" | number;
                    /** @description Its lateness, as in reports, is above this: milliseconds or PT30S */
                    lateOver?: number | string;
                    /** @enum {string} */
                    mode?: "immediate" | "reserved" | "scheduled";
                    occurrence?: string;
                    /** @description A reason that the push service's breakdown gives, as its detail names it */
                    reason?: string;
                    /** @description The push service's */
                    requestId?: string;
                    sends?: string[];
                    /** @description Of the project */
                    serviceId?: string;
                    /**
                     * Format: date-time
                     * @description It came to its state at or after this …
                     */
                    since?: string;
                    /**
                     * @description Retry sends that have been due for more than a day as well; else they are left out: OLDER_THAN_A_DAY
                     * @default false
                     */
                    stale?: boolean;
                    /**
                     * @default [
                     *       "failed",
                     *       "stale",
                     *       "rejected",
                     *       "expired"
                     *     ]
                     */
                    states?: ("failed" | "stale" | "rejected" | "expired")[];
                    /**
                     * Format: date-time
                     * @description … and before this
                     */
                    until?: string;
                    /** @description The cell's */
                    zone?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "01936d5c-7a00-7000-8000-000000000001",
                     *       "createdAt": "2027-03-01T00:00:00.000Z",
                     *       "createdBy": "token:ops (0197a5f0-3c00-7000-8000-000000000001)",
                     *       "expiresAt": "2027-03-01T00:00:00.000Z",
                     *       "confirmedAt": "2027-03-01T00:00:00.000Z",
                     *       "confirmedBy": "…",
                     *       "doneAt": "2027-03-01T00:00:00.000Z",
                     *       "found": 1,
                     *       "state": "gathering",
                     *       "filter": {
                     *         "serviceId": "shop-app",
                     *         "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *         "occurrence": "once",
                     *         "cell": "Asia/Seoul|all|all|0",
                     *         "zone": "Asia/Seoul",
                     *         "mode": "immediate",
                     *         "code": "DEADLINE",
                     *         "reason": "…",
                     *         "httpStatus": "none",
                     *         "requestId": "01936d5c-7a00-7000-8000-000000000001",
                     *         "dueFrom": "…",
                     *         "dueTo": "…",
                     *         "since": "…",
                     *         "until": "…",
                     *         "lateOver": 1,
                     *         "deferred": true,
                     *         "states": [
                     *           "failed"
                     *         ],
                     *         "sends": [
                     *           "01936d5c-7a00-7000-8000-000000000001"
                     *         ],
                     *         "stale": true
                     *       },
                     *       "asked": {
                     *         "done": 1,
                     *         "of": 1
                     *       },
                     *       "retried": 1,
                     *       "leftOut": {},
                     *       "retry": 1,
                     *       "devices": 1,
                     *       "unknownDevices": 1,
                     *       "oldestDueAt": "2027-03-01T00:00:00.000Z",
                     *       "campaigns": [
                     *         {
                     *           "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *           "sends": 1
                     *         }
                     *       ],
                     *       "campaignCount": 1,
                     *       "campaignCountIsLeast": true,
                     *       "failsAgain": {},
                     *       "due": {
                     *         "first": "2027-03-01T00:00:00.000Z",
                     *         "last": "2027-03-01T00:00:00.000Z",
                     *         "deferred": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Retries"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_3"];
            413: components["responses"]["Refused_413_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Choices_schedules: {
        parameters: {
            query: {
                /** @description From 0; a page has 100 names */
                page?: number;
                /** @description Part of the name */
                q?: string;
                /** @description The push project */
                serviceId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "Spring sale",
                     *           "description": "…"
                     *         }
                     *       ],
                     *       "hasMore": true,
                     *       "lack": "…"
                     *     }
                     */
                    "application/json": components["schemas"]["GatewayNames"];
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_3"];
        };
    };
    Search_search: {
        parameters: {
            query: {
                limit?: number;
                /** @description An id, or part of the name of a campaign */
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "kind": "campaign",
                     *           "id": "spring-sale-1",
                     *           "serviceId": "shop-app",
                     *           "name": "Spring sale",
                     *           "by": "token:ops (0197a5f0-3c00-7000-8000-000000000001)",
                     *           "exact": true,
                     *           "state": "canceling"
                     *         }
                     *       ],
                     *       "complete": true
                     *     }
                     */
                    "application/json": components["schemas"]["SearchResult"];
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Sends_list: {
        parameters: {
            query?: {
                /** @description Our id */
                campaign?: string;
                cell?: string;
                /** @description Why it is in its state; none: there is no code */
                code?: string;
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Whether it was moved to later than the time intended */
                deferred?: "true" | "false";
                /** @description Due at or after this; a retry by its chunk's first due, as in reports … */
                dueFrom?: string;
                /** @description … and before this */
                dueTo?: string;
                /** @description Of the newest attempt's answer; none: there was no answer */
                httpStatus?: "none" | number;
                /** @description Its lateness, as in reports, is above this: milliseconds or PT30S */
                lateOver?: string;
                /** @description Rows of a page */
                limit?: number;
                mode?: "immediate" | "reserved" | "scheduled";
                /** @description Only the send of each chunk that counts */
                newest?: "true" | "false";
                occurrence?: string;
                /** @description By when they were created */
                order?: "oldest" | "newest";
                /** @description A reason that the push service's breakdown gives, as its detail names it */
                reason?: string;
                /** @description The push service's */
                requestId?: string;
                /** @description Of the project */
                serviceId?: string;
                /** @description It came to its state at or after this … */
                since?: string;
                /** @description Any of planned, sending, accepted, reserved, scheduled, canceling, held, uncertain, sent, failed, empty, stale, rejected, canceled, expired, skipped, superseded, with commas */
                state?: string;
                /** @description … and before this */
                until?: string;
                /** @description The cell's */
                zone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "01936d5c-7a00-7000-8000-000000000001",
                     *           "serviceId": "shop-app",
                     *           "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *           "campaignId": "spring-sale-2027",
                     *           "revision": 1,
                     *           "occurrence": "once",
                     *           "cell": "Asia/Seoul|all|all|0",
                     *           "zone": "Asia/Seoul",
                     *           "chunk": 1,
                     *           "newest": true,
                     *           "retryOf": "01936d5c-7a00-7000-8000-000000000001",
                     *           "retries": 1,
                     *           "state": "planned",
                     *           "code": "DEADLINE",
                     *           "detail": "what happened, in words",
                     *           "goal": null,
                     *           "stateAt": "2027-03-01T00:00:00.000Z",
                     *           "stateBy": "event:/shop/promotions",
                     *           "mode": "immediate",
                     *           "rule": "SCHEDULE_CODE",
                     *           "scheduleCode": "…",
                     *           "intendedAt": "2027-03-01T00:00:00.000Z",
                     *           "dueAt": "2027-03-01T00:00:00.000Z",
                     *           "handOffAt": "2027-03-01T00:00:00.000Z",
                     *           "recipients": 1,
                     *           "attempts": 1,
                     *           "requestId": "01936d5c-7a00-7000-8000-000000000001",
                     *           "handedOffAt": "2027-03-01T00:00:00.000Z",
                     *           "answeredAt": "2027-03-01T00:00:00.000Z",
                     *           "gatewayStatus": "…",
                     *           "target": 1,
                     *           "sent": 1,
                     *           "completeTime": "2027-03-01T00:00:00.000Z",
                     *           "createdAt": "2027-03-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null,
                     *       "count": {
                     *         "value": 1,
                     *         "atLeast": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @description How many sends the filter names, exact up to 10 000; null after the first page */
                        count: components["schemas"]["Counted"] | null;
                        items: components["schemas"]["Send"][];
                        /** @description Where the next page begins; null on the last */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Sends_one: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01936d5c-7a00-7000-8000-000000000001",
                     *       "serviceId": "shop-app",
                     *       "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *       "campaignId": "spring-sale-2027",
                     *       "revision": 1,
                     *       "occurrence": "once",
                     *       "cell": "Asia/Seoul|all|all|0",
                     *       "zone": "Asia/Seoul",
                     *       "chunk": 1,
                     *       "newest": true,
                     *       "retryOf": "01936d5c-7a00-7000-8000-000000000001",
                     *       "retries": 1,
                     *       "state": "planned",
                     *       "code": "DEADLINE",
                     *       "detail": "what happened, in words",
                     *       "goal": null,
                     *       "stateAt": "2027-03-01T00:00:00.000Z",
                     *       "stateBy": "event:/shop/promotions",
                     *       "mode": "immediate",
                     *       "rule": "SCHEDULE_CODE",
                     *       "scheduleCode": "…",
                     *       "intendedAt": "2027-03-01T00:00:00.000Z",
                     *       "dueAt": "2027-03-01T00:00:00.000Z",
                     *       "handOffAt": "2027-03-01T00:00:00.000Z",
                     *       "recipients": 1,
                     *       "attempts": 1,
                     *       "requestId": "01936d5c-7a00-7000-8000-000000000001",
                     *       "handedOffAt": "2027-03-01T00:00:00.000Z",
                     *       "answeredAt": "2027-03-01T00:00:00.000Z",
                     *       "gatewayStatus": "…",
                     *       "target": 1,
                     *       "sent": 1,
                     *       "completeTime": "2027-03-01T00:00:00.000Z",
                     *       "createdAt": "2027-03-01T00:00:00.000Z",
                     *       "standing": [
                     *         {
                     *           "day": "2027-03-01",
                     *           "target": 1,
                     *           "sent": 1,
                     *           "at": "2027-03-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "unwritten": [
                     *         {
                     *           "attempt": 1,
                     *           "code": "DEADLINE",
                     *           "error": "what the database said",
                     *           "facts": {},
                     *           "at": "2027-03-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "history": [
                     *         {
                     *           "sequence": 1,
                     *           "from": "planned",
                     *           "to": "…",
                     *           "code": "DEADLINE",
                     *           "detail": "what happened, in words",
                     *           "at": "2027-03-01T00:00:00.000Z",
                     *           "by": "token:ops (0197a5f0-3c00-7000-8000-000000000001)"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SendWithHistory"];
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            410: components["responses"]["Refused_410_1"];
            414: components["responses"]["Refused_414_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_3"];
        };
    };
    Sends_attempts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "attempt": 1,
                     *           "kind": "outside",
                     *           "startedAt": "2027-03-01T00:00:00.000Z",
                     *           "endedAt": "2027-03-01T00:00:00.000Z",
                     *           "requestSent": true,
                     *           "httpStatus": 200,
                     *           "errorCode": "…",
                     *           "answer": "…",
                     *           "outcome": "…"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Attempt"][];
                        /** @description Where the next page begins; null on the last */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            404: components["responses"]["Refused_404_1"];
            410: components["responses"]["Refused_410_1"];
            414: components["responses"]["Refused_414_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_3"];
        };
    };
    OperateSends_resolve: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "resolution": "confirmed-sent"
                 *     }
                 */
                "application/json": {
                    reason?: string;
                    /** @description The push service’s id of the request that was taken: the send is followed by it */
                    requestId?: string;
                    /** @enum {string} */
                    resolution: "confirmed-sent" | "confirmed-not-sent";
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01936d5c-7a00-7000-8000-000000000001",
                     *       "serviceId": "shop-app",
                     *       "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *       "campaignId": "spring-sale-2027",
                     *       "revision": 1,
                     *       "occurrence": "once",
                     *       "cell": "Asia/Seoul|all|all|0",
                     *       "zone": "Asia/Seoul",
                     *       "chunk": 1,
                     *       "newest": true,
                     *       "retryOf": "01936d5c-7a00-7000-8000-000000000001",
                     *       "retries": 1,
                     *       "state": "planned",
                     *       "code": "DEADLINE",
                     *       "detail": "what happened, in words",
                     *       "goal": null,
                     *       "stateAt": "2027-03-01T00:00:00.000Z",
                     *       "stateBy": "event:/shop/promotions",
                     *       "mode": "immediate",
                     *       "rule": "SCHEDULE_CODE",
                     *       "scheduleCode": "…",
                     *       "intendedAt": "2027-03-01T00:00:00.000Z",
                     *       "dueAt": "2027-03-01T00:00:00.000Z",
                     *       "handOffAt": "2027-03-01T00:00:00.000Z",
                     *       "recipients": 1,
                     *       "attempts": 1,
                     *       "requestId": "01936d5c-7a00-7000-8000-000000000001",
                     *       "handedOffAt": "2027-03-01T00:00:00.000Z",
                     *       "answeredAt": "2027-03-01T00:00:00.000Z",
                     *       "gatewayStatus": "…",
                     *       "target": 1,
                     *       "sent": 1,
                     *       "completeTime": "2027-03-01T00:00:00.000Z",
                     *       "createdAt": "2027-03-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Send"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_9"];
            410: components["responses"]["Refused_410_1"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    OperateSends_retry: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /** @default false */
                    acceptDuplicates?: boolean;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01936d5c-7a00-7000-8000-000000000001",
                     *       "serviceId": "shop-app",
                     *       "campaign": "01936d5c-7a00-7000-8000-000000000001",
                     *       "campaignId": "spring-sale-2027",
                     *       "revision": 1,
                     *       "occurrence": "once",
                     *       "cell": "Asia/Seoul|all|all|0",
                     *       "zone": "Asia/Seoul",
                     *       "chunk": 1,
                     *       "newest": true,
                     *       "retryOf": "01936d5c-7a00-7000-8000-000000000001",
                     *       "retries": 1,
                     *       "state": "planned",
                     *       "code": "DEADLINE",
                     *       "detail": "what happened, in words",
                     *       "goal": null,
                     *       "stateAt": "2027-03-01T00:00:00.000Z",
                     *       "stateBy": "event:/shop/promotions",
                     *       "mode": "immediate",
                     *       "rule": "SCHEDULE_CODE",
                     *       "scheduleCode": "…",
                     *       "intendedAt": "2027-03-01T00:00:00.000Z",
                     *       "dueAt": "2027-03-01T00:00:00.000Z",
                     *       "handOffAt": "2027-03-01T00:00:00.000Z",
                     *       "recipients": 1,
                     *       "attempts": 1,
                     *       "requestId": "01936d5c-7a00-7000-8000-000000000001",
                     *       "handedOffAt": "2027-03-01T00:00:00.000Z",
                     *       "answeredAt": "2027-03-01T00:00:00.000Z",
                     *       "gatewayStatus": "…",
                     *       "target": 1,
                     *       "sent": 1,
                     *       "completeTime": "2027-03-01T00:00:00.000Z",
                     *       "createdAt": "2027-03-01T00:00:00.000Z",
                     *       "duplicates": 1
                     *     }
                     */
                    "application/json": components["schemas"]["RetriedSend"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            404: components["responses"]["Refused_404_1"];
            409: components["responses"]["Refused_409_8"];
            410: components["responses"]["Refused_410_1"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_2"];
            500: components["responses"]["Refused_500_1"];
            502: components["responses"]["Refused_502_1"];
            503: components["responses"]["Refused_503_7"];
        };
    };
    Choices_services: {
        parameters: {
            query?: {
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Rows of a page */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "serviceId": "shop-app",
                     *           "defaultZone": "Asia/Seoul",
                     *           "principalZones": {},
                     *           "policyDefaults": {},
                     *           "reservations": true,
                     *           "maxTo": 1,
                     *           "ratePerSecond": 1,
                     *           "approval": "none",
                     *           "blocked": "…"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Service"][];
                        /** @description Where the next page begins; null on the last */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Session_show: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "01936d5c-7a00-7000-8000-000000000001",
                     *       "roles": [
                     *         "publisher"
                     *       ],
                     *       "serviceIds": [
                     *         "shop-app"
                     *       ],
                     *       "expiresAt": "2027-03-01T00:00:00.000Z",
                     *       "csrf": "…",
                     *       "now": "2027-03-01T00:00:00.000Z",
                     *       "clockRate": 1,
                     *       "version": "2026f",
                     *       "tzdata": "…"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_3"];
        };
    };
    Session_begin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "01936d5c-7a00-7000-8000-000000000001"
                 *     }
                 */
                "application/json": {
                    token: string;
                };
            };
        };
        responses: {
            /** @description Done */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused_400_11"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_5"];
            413: components["responses"]["Refused_413_1"];
            415: components["responses"]["Refused_415_1"];
            429: components["responses"]["Refused_429_3"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_9"];
        };
    };
    Session_end: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused_400_5"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            413: components["responses"]["Refused_413_1"];
            415: components["responses"]["Refused_415_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Stop_startAll: {
        parameters: {
            query?: {
                /** @description true: change nothing, only count */
                preview?: "true" | "false";
            };
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "prices are right"
                 *     }
                 */
                "application/json": {
                    /** @description Shown to people */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projects": [
                     *         {
                     *           "serviceId": "shop-app",
                     *           "blocked": {
                     *             "code": "DEADLINE",
                     *             "detail": "what happened, in words",
                     *             "until": "2027-03-01T00:00:00.000Z",
                     *             "since": "2027-03-01T00:00:00.000Z",
                     *             "by": "token:ops (0197a5f0-3c00-7000-8000-000000000001)"
                     *           },
                     *           "recalled": true,
                     *           "changed": true,
                     *           "held": 1,
                     *           "atPushService": {
                     *             "reservations": 1,
                     *             "next": "2027-03-01T00:00:00.000Z",
                     *             "standing": 1,
                     *             "inFlight": 1
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["StoppedProjects"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            409: components["responses"]["Refused_409_3"];
            413: components["responses"]["Refused_413_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Status_read: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "asOf": "2027-03-01T00:00:00.000Z",
                     *       "well": true,
                     *       "sentence": "…",
                     *       "needs": [
                     *         {
                     *           "cause": "FAILURES",
                     *           "severity": "note",
                     *           "serviceId": "shop-app",
                     *           "figure": 1,
                     *           "unit": "…",
                     *           "detail": "what happened, in words",
                     *           "text": "what is wrong, and what is taken",
                     *           "nextStep": "…",
                     *           "runbook": "…",
                     *           "since": "2027-03-01T00:00:00.000Z",
                     *           "alertId": "01936d5c-7a00-7000-8000-000000000001",
                     *           "acknowledged": {
                     *             "at": "2027-03-01T00:00:00.000Z",
                     *             "by": "token:ops (0197a5f0-3c00-7000-8000-000000000001)"
                     *           }
                     *         }
                     *       ],
                     *       "notes": [
                     *         {
                     *           "cause": "FAILURES",
                     *           "severity": "note",
                     *           "serviceId": "shop-app",
                     *           "figure": 1,
                     *           "unit": "…",
                     *           "detail": "what happened, in words",
                     *           "text": "what is wrong, and what is taken",
                     *           "nextStep": "…",
                     *           "runbook": "…",
                     *           "since": "2027-03-01T00:00:00.000Z",
                     *           "alertId": "01936d5c-7a00-7000-8000-000000000001",
                     *           "acknowledged": {
                     *             "at": "2027-03-01T00:00:00.000Z",
                     *             "by": "token:ops (0197a5f0-3c00-7000-8000-000000000001)"
                     *           }
                     *         }
                     *       ],
                     *       "projects": [
                     *         {
                     *           "serviceId": "shop-app",
                     *           "state": "running",
                     *           "stopped": {
                     *             "since": "2027-03-01T00:00:00.000Z",
                     *             "by": "token:ops (0197a5f0-3c00-7000-8000-000000000001)",
                     *             "reason": "…"
                     *           },
                     *           "blocked": {
                     *             "code": "DEADLINE",
                     *             "detail": "what happened, in words",
                     *             "since": "2027-03-01T00:00:00.000Z",
                     *             "until": "2027-03-01T00:00:00.000Z"
                     *           },
                     *           "unreachable": {
                     *             "since": "2027-03-01T00:00:00.000Z",
                     *             "detail": "what happened, in words",
                     *             "processes": 1
                     *           },
                     *           "dueNextHour": {
                     *             "value": 1,
                     *             "atLeast": true
                     *           },
                     *           "overdue": {
                     *             "sends": {
                     *               "value": 1,
                     *               "atLeast": true
                     *             },
                     *             "since": "2027-03-01T00:00:00.000Z",
                     *             "oldestSeconds": 1
                     *           },
                     *           "uncertain": {
                     *             "sends": {
                     *               "value": 1,
                     *               "atLeast": true
                     *             },
                     *             "since": "2027-03-01T00:00:00.000Z",
                     *             "oldestSeconds": 1
                     *           },
                     *           "failed": {
                     *             "sends": {
                     *               "value": 1,
                     *               "atLeast": true
                     *             },
                     *             "since": "2027-03-01T00:00:00.000Z",
                     *             "last": "2027-03-01T00:00:00.000Z"
                     *           },
                     *           "held": {
                     *             "reservations": {
                     *               "value": 1,
                     *               "atLeast": true
                     *             },
                     *             "next": "2027-03-01T00:00:00.000Z"
                     *           },
                     *           "lateness": {
                     *             "from": "2027-03-01T00:00:00.000Z",
                     *             "sends": 1,
                     *             "p99Ms": 1
                     *           }
                     *         }
                     *       ],
                     *       "system": {
                     *         "loops": [
                     *           {
                     *             "name": "Spring sale",
                     *             "ok": true,
                     *             "error": "what the database said"
                     *           }
                     *         ],
                     *         "kafka": [
                     *           {
                     *             "topic": "…",
                     *             "partition": 1,
                     *             "lag": 1
                     *           }
                     *         ],
                     *         "outbox": {
                     *           "waiting": {
                     *             "value": 1,
                     *             "atLeast": true
                     *           },
                     *           "oldestSeconds": 1
                     *         },
                     *         "outcomes": [
                     *           {
                     *             "consumer": "…",
                     *             "behindSeconds": 1
                     *           }
                     *         ],
                     *         "daysAhead": 1,
                     *         "daysUntilDiskFull": 1,
                     *         "replicas": {
                     *           "live": 1,
                     *           "unheard": 1
                     *         },
                     *         "zoneRules": {
                     *           "version": "2026f",
                     *           "yearsBehind": 1
                     *         },
                     *         "webhooksFailing": [
                     *           {
                     *             "id": "spring-sale-1",
                     *             "since": "2027-03-01T00:00:00.000Z"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Status"];
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_3"];
        };
    };
    Stop_stopAll: {
        parameters: {
            query?: {
                /** @description true: change nothing, only count */
                preview?: "true" | "false";
            };
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "wrong prices",
                 *       "recall": true
                 *     }
                 */
                "application/json": {
                    /** @description Shown to people */
                    reason?: string;
                    /**
                     * @description Also ask the push service to give back what it holds: reservations and standing sends
                     * @default false
                     */
                    recall?: boolean;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projects": [
                     *         {
                     *           "serviceId": "shop-app",
                     *           "blocked": {
                     *             "code": "DEADLINE",
                     *             "detail": "what happened, in words",
                     *             "until": "2027-03-01T00:00:00.000Z",
                     *             "since": "2027-03-01T00:00:00.000Z",
                     *             "by": "token:ops (0197a5f0-3c00-7000-8000-000000000001)"
                     *           },
                     *           "recalled": true,
                     *           "changed": true,
                     *           "held": 1,
                     *           "atPushService": {
                     *             "reservations": 1,
                     *             "next": "2027-03-01T00:00:00.000Z",
                     *             "standing": 1,
                     *             "inFlight": 1
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["StoppedProjects"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_1"];
            409: components["responses"]["Refused_409_3"];
            413: components["responses"]["Refused_413_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Stream_open: {
        parameters: {
            query?: {
                /** @description Also `send` events, of this campaign */
                campaign?: string;
                /** @description As the header Last-Event-ID, for a browser that opens a new EventSource */
                lastEventId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_4"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_10"];
        };
    };
    Tokens_list: {
        parameters: {
            query?: {
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Rows of a page */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "01936d5c-7a00-7000-8000-000000000001",
                     *           "name": "Spring sale",
                     *           "roles": [
                     *             "publisher"
                     *           ],
                     *           "serviceIds": [
                     *             "shop-app"
                     *           ],
                     *           "sources": [
                     *             "/shop/*"
                     *           ],
                     *           "createdAt": "2027-03-01T00:00:00.000Z",
                     *           "expiresAt": "2027-03-01T00:00:00.000Z",
                     *           "revokedAt": "2027-03-01T00:00:00.000Z",
                     *           "lastUsedAt": "2027-03-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Token"][];
                        /** @description Where the next page begins; null on the last */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_6"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Tokens_create: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Spring sale",
                 *       "roles": [
                 *         "publisher"
                 *       ],
                 *       "serviceIds": [
                 *         "shop-app"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @default 90 */
                    expiresInDays?: number;
                    name: string;
                    roles: ("publisher" | "analyst" | "operator" | "admin")[];
                    serviceIds: (string | "*")[];
                    /** @default [] */
                    sources?: string[];
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01936d5c-7a00-7000-8000-000000000001",
                     *       "name": "Spring sale",
                     *       "roles": [
                     *         "publisher"
                     *       ],
                     *       "serviceIds": [
                     *         "shop-app"
                     *       ],
                     *       "sources": [
                     *         "/shop/*"
                     *       ],
                     *       "createdAt": "2027-03-01T00:00:00.000Z",
                     *       "expiresAt": "2027-03-01T00:00:00.000Z",
                     *       "revokedAt": "2027-03-01T00:00:00.000Z",
                     *       "lastUsedAt": "2027-03-01T00:00:00.000Z",
                     *       "token": "01936d5c-7a00-7000-8000-000000000001"
                     *     }
                     */
                    "application/json": components["schemas"]["NewToken"];
                };
            };
            400: components["responses"]["Refused_400_1"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_7"];
            409: components["responses"]["Refused_409_17"];
            413: components["responses"]["Refused_413_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Tokens_revoke: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused_400_5"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_7"];
            404: components["responses"]["Refused_404_1"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Webhooks_list: {
        parameters: {
            query?: {
                /** @description The nextCursor of the page before */
                cursor?: string;
                /** @description Rows of a page */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "spring-sale-1",
                     *           "url": "…",
                     *           "causes": [
                     *             "FAILURES"
                     *           ],
                     *           "services": [
                     *             "…"
                     *           ],
                     *           "createdAt": "2027-03-01T00:00:00.000Z",
                     *           "createdBy": "token:ops (0197a5f0-3c00-7000-8000-000000000001)",
                     *           "deliveredAt": "2027-03-01T00:00:00.000Z",
                     *           "failingSince": "2027-03-01T00:00:00.000Z",
                     *           "lastError": "…"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Webhook"][];
                        /** @description Where the next page begins; null on the last */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["Refused_400_2"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_8"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_2"];
        };
    };
    Webhooks_create: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.com/carillon",
                 *       "causes": [
                 *         "BLOCKED",
                 *         "LATE"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Left out: all */
                    causes?: ("FAILURES" | "UNCERTAIN" | "LATE" | "QUOTA" | "BLOCKED" | "KEY_REFUSED" | "CIRCUIT" | "GATEWAY_UNREACHABLE" | "STOPPED" | "REJECTIONS" | "DAYS_AHEAD" | "DISK" | "CLOCK" | "REPLICA_UNHEARD" | "BACKLOG" | "CREDENTIAL_MISSING" | "DEADLINE_AHEAD" | "LEDGER_OUT_OF_BALANCE" | "ZONE_RULES_OLD")[];
                    /** @description Left out: one is made, and shown this once */
                    secret?: string;
                    /** @description Left out: all, and what concerns the whole installation */
                    services?: string[];
                    /** Format: uri */
                    url: string;
                };
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "spring-sale-1",
                     *       "url": "…",
                     *       "causes": [
                     *         "FAILURES"
                     *       ],
                     *       "services": [
                     *         "…"
                     *       ],
                     *       "createdAt": "2027-03-01T00:00:00.000Z",
                     *       "createdBy": "token:ops (0197a5f0-3c00-7000-8000-000000000001)",
                     *       "deliveredAt": "2027-03-01T00:00:00.000Z",
                     *       "failingSince": "2027-03-01T00:00:00.000Z",
                     *       "lastError": "…",
                     *       "secret": "…"
                     *     }
                     */
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
            400: components["responses"]["Refused_400_12"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_9"];
            409: components["responses"]["Refused_409_3"];
            413: components["responses"]["Refused_413_1"];
            415: components["responses"]["Refused_415_1"];
            422: components["responses"]["Refused_422_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Webhooks_remove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused_400_5"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_9"];
            404: components["responses"]["Refused_404_1"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Webhooks_test: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "taken": true,
                     *       "status": 1,
                     *       "error": "what the database said"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookTest"];
                };
            };
            400: components["responses"]["Refused_400_5"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_9"];
            404: components["responses"]["Refused_404_1"];
            413: components["responses"]["Refused_413_1"];
            414: components["responses"]["Refused_414_1"];
            415: components["responses"]["Refused_415_1"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_1"];
        };
    };
    Choices_zones: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "ratelimit-limit": components["headers"]["ratelimit-limit"];
                    "ratelimit-remaining": components["headers"]["ratelimit-remaining"];
                    "ratelimit-reset": components["headers"]["ratelimit-reset"];
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tzdata": "…",
                     *       "now": "2027-03-01T00:00:00.000Z",
                     *       "items": [
                     *         {
                     *           "zone": "Asia/Seoul",
                     *           "offsetSeconds": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Zones"];
                };
            };
            400: components["responses"]["Refused_400_3"];
            401: components["responses"]["Refused_401_1"];
            403: components["responses"]["Refused_403_2"];
            429: components["responses"]["Refused_429_1"];
            500: components["responses"]["Refused_500_1"];
            503: components["responses"]["Refused_503_3"];
        };
    };
}

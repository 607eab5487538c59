// Every page with its address and the search parameters that it takes. Pages are loaded when they are first opened.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  parseSearchWith,
  stringifySearchWith,
} from '@tanstack/react-router';
import { searchOfAlerts } from '../pages/alerts/alerts-search.ts';
import { searchOfAudiences, searchOfService } from '../pages/audiences/audiences-search.ts';
import { searchOfAudit } from '../pages/audit/audit-search.ts';
import { searchOfCampaign } from '../pages/campaign/campaign-search.ts';
import { searchOfCampaigns } from '../pages/campaigns/campaigns-search.ts';
import { searchOfFailures } from '../pages/failures/failures-search.ts';
import { searchOfForecast } from '../pages/forecast/forecast-search.ts';
import { searchOfRejected } from '../pages/rejected/rejected-search.ts';
import { searchOfReports } from '../pages/reports/reports-search.ts';
import { searchOfSends } from '../pages/sends/sends-search.ts';
import { NoSuchPage } from './no-such-page.tsx';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: NoSuchPage });

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
});
const campaigns = createRoute({
  getParentRoute: () => root,
  path: '/campaigns',
  validateSearch: searchOfCampaigns,
  component: lazyRouteComponent(() => import('../pages/campaigns/campaigns-page.tsx'), 'CampaignsPage'),
});
const campaign = createRoute({
  getParentRoute: () => root,
  path: '/campaigns/$id',
  validateSearch: searchOfCampaign,
  component: lazyRouteComponent(() => import('../pages/campaign/campaign-page.tsx'), 'CampaignPage'),
});
const compose = createRoute({
  getParentRoute: () => root,
  path: '/compose',
  component: lazyRouteComponent(() => import('../pages/compose/compose-page.tsx'), 'ComposePage'),
});
const sends = createRoute({
  getParentRoute: () => root,
  path: '/sends',
  validateSearch: searchOfSends,
  component: lazyRouteComponent(() => import('../pages/sends/sends-page.tsx'), 'SendsPage'),
});
const send = createRoute({
  getParentRoute: () => root,
  path: '/sends/$id',
  component: lazyRouteComponent(() => import('../pages/send/send-page.tsx'), 'SendPage'),
});
const failures = createRoute({
  getParentRoute: () => root,
  path: '/failures',
  validateSearch: searchOfFailures,
  component: lazyRouteComponent(() => import('../pages/failures/failures-page.tsx'), 'FailuresPage'),
});
const retries = createRoute({
  getParentRoute: () => root,
  path: '/failures/retries/$token',
  component: lazyRouteComponent(() => import('../pages/retries/retries-page.tsx'), 'RetriesPage'),
});
const resolves = createRoute({
  getParentRoute: () => root,
  path: '/failures/resolves/$token',
  component: lazyRouteComponent(() => import('../pages/resolves/resolves-page.tsx'), 'ResolvesPage'),
});
const rejected = createRoute({
  getParentRoute: () => root,
  path: '/rejected',
  validateSearch: searchOfRejected,
  component: lazyRouteComponent(() => import('../pages/rejected/rejected-page.tsx'), 'RejectedPage'),
});
const rejection = createRoute({
  getParentRoute: () => root,
  path: '/rejected/$id',
  component: lazyRouteComponent(() => import('../pages/rejected/rejection-page.tsx'), 'RejectionPage'),
});
const reports = createRoute({
  getParentRoute: () => root,
  path: '/reports',
  validateSearch: searchOfReports,
  component: lazyRouteComponent(() => import('../pages/reports/delivery-page.tsx'), 'DeliveryPage'),
});
const lateness = createRoute({
  getParentRoute: () => root,
  path: '/reports/lateness',
  validateSearch: searchOfReports,
  component: lazyRouteComponent(() => import('../pages/reports/lateness-page.tsx'), 'LatenessPage'),
});
const ledger = createRoute({
  getParentRoute: () => root,
  path: '/reports/ledger',
  validateSearch: searchOfReports,
  component: lazyRouteComponent(() => import('../pages/reports/ledger-page.tsx'), 'LedgerPage'),
});
const forecast = createRoute({
  getParentRoute: () => root,
  path: '/forecast',
  validateSearch: searchOfForecast,
  component: lazyRouteComponent(() => import('../pages/forecast/forecast-page.tsx'), 'ForecastPage'),
});
const alerts = createRoute({
  getParentRoute: () => root,
  path: '/alerts',
  validateSearch: searchOfAlerts,
  component: lazyRouteComponent(() => import('../pages/alerts/alerts-page.tsx'), 'AlertsPage'),
});
const projects = createRoute({
  getParentRoute: () => root,
  path: '/projects',
  component: lazyRouteComponent(() => import('../pages/projects/projects-page.tsx'), 'ProjectsPage'),
});

const audiences = createRoute({
  getParentRoute: () => root,
  path: '/audiences',
  validateSearch: searchOfAudiences,
  component: lazyRouteComponent(() => import('../pages/audiences/audiences-page.tsx'), 'AudiencesPage'),
});
const zones = createRoute({
  getParentRoute: () => root,
  path: '/audiences/zones',
  validateSearch: searchOfService,
  component: lazyRouteComponent(() => import('../pages/audiences/zones-page.tsx'), 'ZonesPage'),
});
const drift = createRoute({
  getParentRoute: () => root,
  path: '/audiences/drift',
  validateSearch: searchOfService,
  component: lazyRouteComponent(() => import('../pages/audiences/drift-page.tsx'), 'DriftPage'),
});
const erase = createRoute({
  getParentRoute: () => root,
  path: '/audiences/erasures',
  validateSearch: searchOfService,
  component: lazyRouteComponent(() => import('../pages/audiences/erase-page.tsx'), 'ErasePage'),
});
const erasure = createRoute({
  getParentRoute: () => root,
  path: '/audiences/erasures/$id',
  component: lazyRouteComponent(() => import('../pages/audiences/erasure-page.tsx'), 'ErasurePage'),
});
const tokens = createRoute({
  getParentRoute: () => root,
  path: '/tokens',
  component: lazyRouteComponent(() => import('../pages/tokens/tokens-page.tsx'), 'TokensPage'),
});
const webhooks = createRoute({
  getParentRoute: () => root,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('../pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: searchOfAudit,
  component: lazyRouteComponent(() => import('../pages/audit/audit-page.tsx'), 'AuditPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    campaigns,
    campaign,
    compose,
    sends,
    send,
    failures,
    retries,
    resolves,
    rejected,
    rejection,
    reports,
    lateness,
    ledger,
    forecast,
    alerts,
    audiences,
    zones,
    drift,
    erase,
    erasure,
    projects,
    tokens,
    webhooks,
    audit,
  ]),
  defaultPreload: 'intent',
  // An address says `code=4031`, and means the text.
  parseSearch: parseSearchWith((text) => text),
  stringifySearch: stringifySearchWith(String),
  // What no page knows leaves the address at once: `?lang=` is no filter, and was read before (main.tsx), as `?clock=` was.
  search: { strict: true },
  scrollRestoration: true,
  defaultNotFoundComponent: NoSuchPage,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

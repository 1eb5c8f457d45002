// Counts the requests of an environment's addresses.

import type { Counter, Histogram, Labels, Registry } from './metrics.ts';

const secondsBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** A route as it stands in the table of routes: one object each. */
export interface RouteLabels {
  readonly method: string;
  /** With parameter names in braces, never with their values. */
  readonly path: string;
}

/** Requests and connections in progress at an address. */
interface AddressReadings {
  openRequests(): number;
  openConnections(): number;
  receivedBytes(): number;
  sentBytes(): number;
}

interface RouteSeries {
  seconds: Histogram;
  /** By status; those of HEAD apart. */
  counts: Map<number, Counter>;
  headCounts: Map<number, Counter>;
}

export class RequestMetrics {
  readonly #requests: (labels: Labels) => Counter;
  readonly #seconds: (labels: Labels) => Histogram;
  readonly #routes = new Map<RouteLabels, RouteSeries>();
  readonly #addresses: AddressReadings[] = [];

  constructor(registry: Registry) {
    this.#requests = registry.counters('cabinet_requests_total', 'Requests that were answered or broke off');
    this.#seconds = registry.histograms(
      'cabinet_request_seconds',
      'From the headers of a request to the end of its answer',
      secondsBounds,
    );
    const sum = (of: keyof AddressReadings) => () => this.#addresses.reduce((all, address) => all + address[of](), 0);
    registry.read('gauge', 'cabinet_requests_in_progress', 'Requests under way', sum('openRequests'));
    registry.read('gauge', 'cabinet_connections_open', 'Open connections', sum('openConnections'));
    registry.read('counter', 'cabinet_received_bytes_total', 'Bytes that came in', sum('receivedBytes'));
    registry.read('counter', 'cabinet_sent_bytes_total', 'Bytes that went out', sum('sentBytes'));
  }

  watch(address: AddressReadings): void {
    this.#addresses.push(address);
  }

  /** `status` is 0 when the client went away before it was answered. */
  count(route: RouteLabels, method: string, status: number, seconds: number): void {
    const series = this.#routes.get(route) ?? this.#add(route);
    const counts = method === 'HEAD' ? series.headCounts : series.counts;
    let counter = counts.get(status);
    if (counter === undefined) {
      counter = this.#requests({
        route: route.path,
        method: method === 'HEAD' ? method : route.method,
        ...say(status),
      });
      counts.set(status, counter);
    }
    counter.value += 1;
    series.seconds.observe(seconds);
  }

  /** A request without a route, or a malformed one. */
  countUnrouted(method: string | undefined, status: number): void {
    const known = method !== undefined && methods.has(method) ? method : 'other';
    this.#requests({ route: 'none', method: known, ...say(status) }).add();
  }

  #add(route: RouteLabels): RouteSeries {
    const { method, path } = route;
    const seconds = this.#seconds({ route: path, method });
    const series = { seconds, counts: new Map<number, Counter>(), headCounts: new Map<number, Counter>() };
    this.#routes.set(route, series);
    return series;
  }
}

function say(status: number): Labels {
  return { status: status === 0 ? 'aborted' : String(status) };
}

// Metrics of the process under Prometheus' standard names: processor time, memory, descriptors, the event loop.

import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { Registry } from './metrics.ts';

/** Delays of the event loop are reported for the last full window of this length, so that every scrape sees the same
 *  values. */
const windowMs = 10_000;
const resolutionMs = 20;

export interface Build {
  version: string;
  /** Its engines, such as `sqlite` and `file`. */
  catalog: string;
  blobs: string;
}

export interface ProcessMetrics {
  registry: Registry;
  close(): void;
}

export function openProcessMetrics(build: Build): ProcessMetrics {
  const registry = new Registry();
  const labels = { ...build, node: process.version };
  registry.read('gauge', 'cabinet_build_info', 'Which release runs, on what', () => [{ labels, value: 1 }]);
  readProcess(registry);
  return { registry, close: watchEventLoop(registry) };
}

function readProcess(registry: Registry): void {
  const startedAt = performance.timeOrigin / 1000;
  registry.read('gauge', 'process_start_time_seconds', 'When it was started, since 1970', () => startedAt);
  registry.read('gauge', 'cabinet_uptime_seconds', 'For how long it has been running', () => process.uptime());
  registry.read('counter', 'process_cpu_seconds_total', 'Time on the processor, all threads', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  registry.read('gauge', 'process_resident_memory_bytes', 'Memory that it has', () => process.memoryUsage.rss());
  registry.read('gauge', 'cabinet_memory_bytes', 'Memory of the main thread, by what holds it', () => {
    const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
    const held = { heap_used: heapUsed, heap_total: heapTotal, external, array_buffers: arrayBuffers };
    return Object.entries(held).map(([kind, value]) => ({ labels: { kind }, value }));
  });
  registry.read('gauge', 'process_open_fds', 'Open file descriptors, where that can be known', countDescriptors);
}

function countDescriptors(): number | null {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return null;
  }
}

function watchEventLoop(registry: Registry): () => void {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  const look = () => {
    // The timer that measures is itself late by its resolution.
    const toSeconds = (ns: number) => Math.max(0, ns / 1e9 - resolutionMs / 1000);
    const values = { p50: delays.percentile(50), p99: delays.percentile(99), max: delays.count === 0 ? 0 : delays.max };
    delays.reset();
    return Object.entries(values).map(([stat, ns]) => ({ labels: { stat }, value: toSeconds(ns) }));
  };
  let last = look();
  const timer = setInterval(() => {
    last = look();
  }, windowMs).unref();
  registry.read(
    'gauge',
    'cabinet_event_loop_delay_seconds',
    'How late the event loop was, over ten seconds',
    () => last,
  );
  registry.read('counter', 'cabinet_event_loop_seconds_total', 'How long the event loop was active and idle', () => {
    const { active, idle } = performance.eventLoopUtilization();
    return Object.entries({ active, idle }).map(([state, ms]) => ({ labels: { state }, value: ms / 1000 }));
  });
  return () => {
    clearInterval(timer);
    delays.disable();
  };
}

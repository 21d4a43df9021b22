/** How the value of a mount option is written. */
export type MountOptionKind = 'boolean' | 'integer' | 'number' | 'octal' | 'text';

/**
 * Options of gcsfuse by the kind of their value: flags (`name`, `name=value`) and places of its configuration file (`section:name:value`).
 * Made from its list of parameters at commit 7b39292788a4 (August 2026), without those that the CSI driver sets itself or ignores.
 * @see https://github.com/GoogleCloudPlatform/gcsfuse/blob/master/cfg/params.yaml
 */
const OPTIONS: Readonly<Record<MountOptionKind, string>> = {
  boolean: `
  anonymous-access cloud-profiler-allocated-heap cloud-profiler-cpu cloud-profiler-goroutines
  cloud-profiler-heap cloud-profiler-mutex cloud-profiler:allocated-heap cloud-profiler:cpu
  cloud-profiler:enabled cloud-profiler:goroutines cloud-profiler:heap cloud-profiler:mutex
  create-empty-file debug:exit-on-invariant-violation debug:fuse debug:gcs debug:log-mutex debug_fs
  debug_fuse debug_fuse_errors debug_gcs debug_http debug_invariants debug_mutex disable-autoconfig
  disable-parallel-dirops dummy-io:enable enable-atomic-rename-object enable-buffered-read
  enable-cloud-profiler enable-dummy-io enable-empty-managed-folders enable-experimental-shared-chunk-cache
  enable-google-lib-auth enable-grpc-read-checksums enable-hns enable-http-dns-cache enable-kernel-reader
  enable-metadata-prefetch enable-mount-retries enable-new-reader enable-nonexistent-type-cache
  enable-rapid-appends enable-rapid-writes enable-read-stall-retry enable-standard-symlinks
  enable-streaming-writes enable-type-cache-deprecation enable-unsupported-path-support
  experimental-enable-dentry-cache experimental-enable-grpc-metrics experimental-enable-json-read
  experimental-enable-optimized-metadata-cache experimental-enable-otel-logging
  experimental-enable-otel-metrics experimental-enable-pirlo experimental-enable-readdirplus
  experimental-o-direct file-cache-cache-file-for-range-read file-cache-enable-crc
  file-cache-enable-o-direct file-cache-enable-parallel-downloads
  file-cache-experimental-disable-size-calculation-fix file-cache-experimental-enable-chunk-cache
  file-cache-experimental-parallel-downloads-default-on file-cache:cache-file-for-range-read
  file-cache:enable-crc file-cache:enable-experimental-shared-chunk-cache file-cache:enable-o-direct
  file-cache:enable-parallel-downloads file-cache:experimental-disable-size-calculation-fix
  file-cache:experimental-enable-chunk-cache file-cache:experimental-parallel-downloads-default-on
  file-system:disable-parallel-dirops file-system:enable-kernel-reader
  file-system:experimental-enable-dentry-cache file-system:experimental-enable-pirlo
  file-system:experimental-enable-readdirplus file-system:experimental-o-direct
  file-system:ignore-interrupts file-system:strong-consistency-on-open finalize-file-for-rapid
  gcs-auth:anonymous-access gcs-connection:enable-http-dns-cache
  gcs-connection:experimental-enable-json-read gcs-retries:enable-mount-retries
  gcs-retries:read-stall:enable ignore-interrupts implicit-dirs list:enable-empty-managed-folders
  log-rotate-compress logging:experimental-enable-otel-logging logging:log-rotate:compress
  metadata-cache:enable-metadata-prefetch metadata-cache:enable-nonexistent-type-cache
  metadata-cache:experimental-enable-optimized-metadata-cache metrics-use-new-names
  metrics:experimental-enable-grpc-metrics metrics:experimental-enable-otel-metrics metrics:use-new-names
  read:enable-buffered-read read:enable-grpc-read-checksums strong-consistency-on-open
  visualize-workload-insight workload-insight:visualize write:create-empty-file write:enable-rapid-appends
  write:enable-rapid-writes write:enable-streaming-writes write:finalize-file-for-rapid`,
  integer: `
  chunk-retry-deadline-secs chunk-transfer-timeout-secs cloud-metrics-export-interval-secs
  congestion-threshold experimental-grpc-conn-pool-size file-cache-download-chunk-size-mb
  file-cache-max-parallel-downloads file-cache-max-size-mb file-cache-parallel-downloads-per-file
  file-cache-shared-cache-chunk-size-mb file-cache-write-buffer-size file-cache:download-chunk-size-mb
  file-cache:max-parallel-downloads file-cache:max-size-mb file-cache:parallel-downloads-per-file
  file-cache:shared-cache-chunk-size-mb file-cache:write-buffer-size file-system:congestion-threshold
  file-system:fuse-max-request-size-kb file-system:fuse-max-write-size-kb file-system:gid
  file-system:inactive-mrd-cache-size file-system:kernel-list-cache-ttl-secs file-system:max-background
  file-system:max-read-ahead-kb file-system:rename-dir-limit file-system:uid fuse-max-request-size-kb
  fuse-max-write-size-kb gcs-connection:grpc-conn-pool-size gcs-connection:max-conns-per-host
  gcs-connection:max-idle-conns-per-host gcs-connection:sequential-read-size-mb
  gcs-retries:chunk-retry-deadline-secs gcs-retries:chunk-transfer-timeout-secs
  gcs-retries:max-retry-attempts gid inactive-mrd-cache-size kernel-list-cache-ttl-secs
  log-rotate-backup-file-count log-rotate-max-file-size-mb logging:log-rotate:backup-file-count
  logging:log-rotate:max-file-size-mb max-background max-conns-per-host max-idle-conns-per-host
  max-read-ahead-kb max-retry-attempts metadata-cache-negative-ttl-secs metadata-cache-ttl-secs
  metadata-cache:deprecated-stat-cache-capacity metadata-cache:metadata-prefetch-entries-limit
  metadata-cache:metadata-prefetch-max-workers metadata-cache:negative-ttl-secs
  metadata-cache:stat-cache-max-size-mb metadata-cache:ttl-secs metadata-cache:type-cache-max-size-mb
  metadata-prefetch-entries-limit metadata-prefetch-max-workers metrics-buffer-size metrics-workers
  metrics:buffer-size metrics:cloud-metrics-export-interval-secs metrics:workers mrd-pool-size
  mrd:pool-size read-block-size-mb read-global-max-blocks read-max-blocks-per-handle
  read-min-blocks-per-handle read-random-seek-threshold read-start-blocks-per-handle read:block-size-mb
  read:global-max-blocks read:max-blocks-per-handle read:min-blocks-per-handle read:random-seek-threshold
  read:start-blocks-per-handle rename-dir-limit sequential-read-size-mb stat-cache-capacity
  stat-cache-max-size-mb type-cache-max-size-mb uid workload-insight-forward-merge-threshold-mb
  workload-insight:forward-merge-threshold-mb write-global-max-blocks write-max-blocks-per-file
  write:global-max-blocks write:max-blocks-per-file`,
  number: `
  gcs-connection:limit-bytes-per-sec gcs-connection:limit-ops-per-sec gcs-retries:multiplier
  gcs-retries:read-stall:req-increase-rate gcs-retries:read-stall:req-target-percentile limit-bytes-per-sec
  limit-ops-per-sec read-stall-req-increase-rate read-stall-req-target-percentile retry-multiplier
  trace-sampling-ratio trace:sampling-ratio write-block-size-mb write:block-size-mb`,
  octal: `
  dir-mode file-mode file-system:dir-mode file-system:file-mode`,
  text: `
  billing-project client-protocol cloud-profiler-label cloud-profiler-service-name cloud-profiler:label
  cloud-profiler:service-name custom-endpoint dummy-io-per-mb-latency dummy-io-reader-latency
  dummy-io:per-mb-latency dummy-io:reader-latency experimental-local-socket-address
  experimental-metadata-prefetch-on-mount experimental-otel-logging-endpoint
  experimental-otel-logging-project-id experimental-otel-metrics-endpoint
  experimental-otel-metrics-project-id file-cache-exclude-regex file-cache-include-regex
  file-cache:exclude-regex file-cache:include-regex file-system:fuse-options file-system:kernel-params-file
  gcs-connection:billing-project gcs-connection:client-protocol gcs-connection:custom-endpoint
  gcs-connection:experimental-local-socket-address gcs-connection:grpc-path-strategy
  gcs-connection:http-client-timeout gcs-retries:max-retry-sleep gcs-retries:read-stall:initial-req-timeout
  gcs-retries:read-stall:max-req-timeout gcs-retries:read-stall:min-req-timeout grpc-path-strategy
  http-client-timeout kernel-params-file log-severity logging:experimental-otel-logging-endpoint
  logging:experimental-otel-logging-project-id logging:severity logging:wire-log machine-type
  max-retry-duration max-retry-sleep metadata-cache:deprecated-stat-cache-ttl
  metadata-cache:deprecated-type-cache-ttl metadata-cache:experimental-metadata-prefetch-on-mount
  metrics:experimental-otel-metrics-endpoint metrics:experimental-otel-metrics-project-id
  metrics:stackdriver-export-interval mount-id only-dir profile read-inactive-stream-timeout
  read-stall-initial-req-timeout read-stall-max-req-timeout read-stall-min-req-timeout
  read:inactive-stream-timeout stackdriver-export-interval stat-cache-ttl trace-exporters trace-project-id
  trace:exporters trace:project-id type-cache-ttl wire-log workload-insight-output-file
  workload-insight:output-file`,
};

/** Options of mount(8) that the driver hands to the kernel. */
const KERNEL_OPTIONS = 'rw async atime diratime dirsync exec noatime nodev nodiratime noexec nosuid sync';

/** Options that the CSI driver sets itself, and ignores or refuses from others. @see https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver */
const DRIVER_OPTIONS: ReadonlySet<string> = new Set([
  'app-name',
  'cache-dir',
  'config-file',
  'file-system:temp-dir',
  'foreground',
  'gcs-auth:key-file',
  'gcs-auth:reuse-token-from-url',
  'gcs-auth:token-url',
  'key-file',
  'log-file',
  'log-format',
  'logging:file-path',
  'logging:format',
  'metrics:prometheus-port',
  'o',
  'prometheus-port',
  'reuse-token-from-url',
  'temp-dir',
  'token-url',
]);

const KINDS: ReadonlyMap<string, MountOptionKind> = new Map(
  [...Object.entries(OPTIONS), ['boolean', KERNEL_OPTIONS] as const].flatMap(([kind, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name): [string, MountOptionKind] => [name, kind as MountOptionKind]),
  ),
);

/** Names of all options that a volume may set. */
export const MOUNT_OPTIONS: readonly string[] = [...KINDS.keys()];

/** Prefix of an option that is handed on unseen, for a gcsfuse that is newer than the list. */
export const UNCHECKED_OPTION = 'x-';

/** An option's name and value; the name of a place in the configuration file has colons. */
export interface MountOption {
  readonly name: string;
  /** Undefined where none is written. */
  readonly value: string | undefined;
  /** Undefined for a name that is not known. */
  readonly kind: MountOptionKind | undefined;
  /** The CSI driver sets it itself. */
  readonly isDrivers: boolean;
}

/** The parts of a mount option. */
export function parseMountOption(option: string): MountOption {
  const equals = option.indexOf('=');
  const parts = option.split(':');
  const [name, value] =
    equals >= 0
      ? [option.slice(0, equals), option.slice(equals + 1)]
      : parts.length > 1 && !isKnown(option)
        ? [parts.slice(0, -1).join(':'), parts.at(-1)]
        : [option, undefined];
  return { name, value, kind: KINDS.get(name), isDrivers: DRIVER_OPTIONS.has(name) };
}

function isKnown(name: string): boolean {
  return KINDS.has(name) || DRIVER_OPTIONS.has(name);
}

const FORMS: Readonly<
  Record<MountOptionKind, { readonly form: RegExp; readonly rule: string; readonly fix: string }>
> = {
  boolean: { form: /^(true|false)$/i, rule: 'is true or false', fix: 'write true or false' },
  integer: {
    form: /^-?[0-9]+$/,
    rule: 'is a whole number',
    fix: 'write digits, with a minus where it is unlimited',
  },
  number: { form: /^-?[0-9]+(\.[0-9]+)?$/, rule: 'is a number', fix: 'write it as in 1.5' },
  octal: {
    form: /^[0-7]{1,4}$/,
    rule: 'is a mode in octal digits, which gcsfuse reads without a prefix',
    fix: 'write it as in 664',
  },
  text: { form: /^.+$/s, rule: 'has a value', fix: 'write it behind = or :' },
};

/** Why the value of a known option is none, and what to write; undefined where it is one. A switch needs no value. */
export function mountOptionError({
  name,
  value,
  kind,
}: MountOption): { rule: string; fix: string } | undefined {
  if (kind === undefined || (kind === 'boolean' && value === undefined)) return undefined;
  const { form, rule, fix } = FORMS[kind];
  return form.test(value ?? '') ? undefined : { rule: `${name} ${rule}`, fix };
}

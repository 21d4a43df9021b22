/** The driver's name. @see https://github.com/GoogleCloudPlatform/gcs-fuse-csi-driver */
export const GCS_FUSE_DRIVER = 'gcsfuse.csi.storage.gke.io';

/** The one volume name the sidecar takes for its file cache. */
export const GCS_FUSE_CACHE_VOLUME = 'gke-gcsfuse-cache';

/** Annotation that makes the webhook inject the FUSE sidecar. */
export const GCS_FUSE_ANNOTATION = 'gke-gcsfuse/volumes';

/** Limits of the FUSE sidecar on Autopilot, which gives every container one, unless a volume says others; they hold large checkpoint writes. */
export const GCS_FUSE_AUTOPILOT_LIMITS = { cpu: '2', memory: '4Gi', ephemeralStorage: '10Gi' } as const;

package io.millrace.gateway.jobs.plan;

import java.util.Optional;

/**
 * One object that a manifest names.
 *
 * @param listed what an S3 Inventory says of it; empty if only the key is known
 */
record ManifestEntry(String key, Optional<PlanItem.Listed> listed) {}

package io.millrace.gateway.control;

import java.util.List;

/** Buckets by name. */
record BucketList(List<BucketEntry> buckets) {}

package io.millrace.gateway.control.buckets;

import java.util.List;

/** The response that lists buckets, sorted by name. */
public record BucketList(List<BucketSummary> buckets) {}

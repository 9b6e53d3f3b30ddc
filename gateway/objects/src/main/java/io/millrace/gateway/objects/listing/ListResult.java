package io.millrace.gateway.objects.listing;

import io.millrace.backend.spi.ListPage;
import io.millrace.gateway.objects.freshness.CacheStatus;
import java.util.Optional;

/**
 * A page of a listing with its cache status.
 *
 * @param status empty if the listing bypassed the cache
 */
public record ListResult(ListPage page, Optional<CacheStatus> status) {}

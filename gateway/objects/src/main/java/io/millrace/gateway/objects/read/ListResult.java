package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.ListPage;
import java.util.Optional;

/**
 * A page of a listing with its cache status.
 *
 * @param status empty if the listing bypassed the cache
 */
public record ListResult(ListPage page, Optional<CacheStatus> status) {}

package io.millrace.gateway.control;

import io.millrace.auth.AccessPolicy;
import io.millrace.auth.RequestVerifier;
import io.millrace.auth.Tokens;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.freshness.CachedObjects;
import io.millrace.gateway.freshness.ObjectWrites;
import io.millrace.gateway.freshness.Residents;
import io.millrace.gateway.job.Jobs;
import io.millrace.gateway.observe.TrafficHistory;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** What the API works with. */
public record ControlParts(
        RequestVerifier verifier,
        Tokens tokens,
        AccessPolicy policy,
        Buckets buckets,
        CachedObjects objects,
        ObjectWrites writes,
        Optional<Residents> residents,
        Jobs jobs,
        Supplier<GatewayStatus> status,
        Optional<DiskWork> disks,
        TrafficHistory history,
        Supplier<Mono<List<BackendView>>> backends) {}

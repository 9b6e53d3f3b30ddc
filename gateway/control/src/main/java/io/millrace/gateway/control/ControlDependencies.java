package io.millrace.gateway.control;

import io.millrace.auth.policy.AccessPolicy;
import io.millrace.auth.signature.RequestVerifier;
import io.millrace.auth.token.BearerTokens;
import io.millrace.gateway.control.status.BackendStatus;
import io.millrace.gateway.control.status.DiskOperations;
import io.millrace.gateway.control.status.GatewayStatus;
import io.millrace.gateway.jobs.JobService;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.monitor.TrafficSource;
import io.millrace.gateway.objects.read.CachedObjects;
import io.millrace.gateway.objects.residency.CacheResidency;
import io.millrace.gateway.objects.write.FencedWrites;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** The services and data sources that the control API uses. */
public record ControlDependencies(
        RequestVerifier verifier,
        BearerTokens tokens,
        AccessPolicy policy,
        BucketRegistry buckets,
        CachedObjects objects,
        FencedWrites writes,
        Optional<CacheResidency> residents,
        JobService jobs,
        Supplier<GatewayStatus> status,
        Optional<DiskOperations> disks,
        TrafficSource traffic,
        Supplier<Mono<List<BackendStatus>>> backends) {}

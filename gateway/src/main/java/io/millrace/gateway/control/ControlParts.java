package io.millrace.gateway.control;

import io.millrace.auth.AccessPolicy;
import io.millrace.auth.RequestVerifier;
import io.millrace.auth.Tokens;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.freshness.ObjectWrites;
import io.millrace.gateway.freshness.Residents;
import io.millrace.gateway.job.Jobs;
import java.util.Optional;
import java.util.function.Supplier;

/** What the API works with. */
public record ControlParts(
        RequestVerifier verifier,
        Tokens tokens,
        AccessPolicy policy,
        Buckets buckets,
        ObjectWrites writes,
        Optional<Residents> residents,
        Jobs jobs,
        Supplier<GatewayStatus> status) {}

package io.millrace.gateway.control;

import io.millrace.auth.session.BearerTokens;
import io.millrace.auth.session.CredentialFinder;
import io.millrace.auth.signature.RequestVerifier;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import java.util.List;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * The parts of the settings in force that the control API uses. Each supplier returns its part when it is asked, since
 * a reload replaces it.
 */
public record SettingsInForce(
        Supplier<RequestVerifier> verifier,
        Supplier<BearerTokens> tokens,
        Supplier<CredentialFinder> credentials,
        Supplier<SignInAccess> signIn,
        Supplier<BucketRegistry> buckets,
        Supplier<SettingsOverview> settings,
        Supplier<Mono<List<BackendStatus>>> backends) {}

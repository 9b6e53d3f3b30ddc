package io.millrace.gateway.control;

import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.TrustedProxies;
import io.millrace.auth.session.BearerTokens;
import io.millrace.auth.session.CredentialFinder;
import io.millrace.auth.session.RevocationLog;
import io.millrace.auth.session.SignInSealer;
import io.millrace.auth.signature.RequestVerifier;
import io.millrace.gateway.jobs.JobService;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.monitor.RecentRequestSource;
import io.millrace.gateway.objects.monitor.TrafficHistorySource;
import io.millrace.gateway.objects.read.CacheResidency;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.write.FencedWrites;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * The services and data sources that the control API uses. Suppliers return what belongs to the settings in force.
 *
 * @param authorizer decides by the bucket policies in force
 * @param proxies those whose words about clients are believed
 */
public record ControlDependencies(
        Supplier<RequestVerifier> verifier,
        Supplier<BearerTokens> tokens,
        Supplier<CredentialFinder> credentials,
        Supplier<SignInAccess> signIn,
        SignInSealer signInSealer,
        Authorizer authorizer,
        Supplier<BucketRegistry> buckets,
        CurrentObjectFinder objects,
        FencedWrites writes,
        Optional<CacheResidency> residents,
        JobService jobs,
        RevocationLog revocations,
        Supplier<GatewayStatus> status,
        Optional<DiskOperations> disks,
        Supplier<Optional<ClusterView>> cluster,
        TrafficHistorySource traffic,
        RecentRequestSource recent,
        Supplier<SettingsOverview> settings,
        SettingsReload reload,
        Supplier<Mono<List<BackendStatus>>> backends,
        TrustedProxies proxies) {}

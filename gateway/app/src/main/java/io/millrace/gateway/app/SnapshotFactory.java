package io.millrace.gateway.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.session.BearerTokens;
import io.millrace.auth.session.CredentialFinder;
import io.millrace.auth.session.Revocations;
import io.millrace.auth.session.RoleRegistry;
import io.millrace.auth.session.SessionKeySource;
import io.millrace.auth.session.Sessions;
import io.millrace.auth.session.SignInClient;
import io.millrace.auth.session.StsSettings;
import io.millrace.auth.signature.RequestVerifier;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.BlockCache;
import io.millrace.config.SettingsVariant;
import io.millrace.gateway.audit.AuditLog;
import io.millrace.gateway.control.BackendHealthCache;
import io.millrace.gateway.control.SignInAccess;
import io.millrace.gateway.control.StateClock;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.BucketSettings;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.ClientBucketNames;
import io.millrace.gateway.objects.derived.ArchiveIndexes;
import io.millrace.gateway.objects.derived.DerivedBackends;
import io.millrace.gateway.objects.derived.MemberViews;
import io.millrace.gateway.objects.derived.Transforms;
import io.millrace.gateway.objects.monitor.BackendFailureTracker;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.HeadPrefetcher;
import io.millrace.gateway.objects.scratch.ScratchBackends;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.s3.bucket.ContinuationTokenSealer;
import io.millrace.gateway.s3.bucket.CorsRuleCache;
import io.millrace.gateway.s3.bucket.ReadBucketFinder;
import io.millrace.gateway.s3.gate.S3RequestAuthorizer;
import io.millrace.gateway.s3.hub.HubResponder;
import io.millrace.gateway.s3.hub.HubSettings;
import io.millrace.gateway.s3.object.ObjectReadHandler;
import io.millrace.gateway.s3.observe.AccessLog;
import io.millrace.gateway.s3.observe.AccessRecorder;
import io.millrace.gateway.s3.observe.IdentityLimiter;
import io.millrace.gateway.s3.observe.RequestRecorder;
import io.millrace.gateway.s3.observe.RequestsInFlight;
import io.millrace.gateway.s3.observe.SavingsRecorder;
import io.millrace.gateway.s3.observe.TrafficHistory;
import io.millrace.gateway.s3.protocol.BucketHostRule;
import io.millrace.gateway.s3.server.HandlerRegistry;
import io.millrace.gateway.s3.server.RequestService;
import io.millrace.gateway.s3.server.S3Responder;
import io.millrace.gateway.s3.sts.StsResponder;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Creates what requests need from the settings: identities, buckets, backends, handlers. What outlives the settings,
 * such as the cache, the meters and the fences of writes, is shared by all snapshots.
 *
 * @param busiest returns the names of buckets that clients have used, those with the most requests first
 */
record SnapshotFactory(
        MeterRegistry registry,
        BackendFailureTracker failures,
        BucketSavingsRegistry accounts,
        CurrentObjectFinder objects,
        ArchiveIndexes archives,
        Transforms transforms,
        Optional<BlockCache> cache,
        HeadPrefetcher prefetches,
        FencedWrites writes,
        ContinuationTokenSealer tokens,
        SessionKeySource sessionKeys,
        Revocations revocations,
        Optional<AuditLog> audit,
        Optional<AccessLog> accesses,
        RequestRecorder recorder,
        Supplier<List<String>> busiest,
        TrafficHistory history,
        CurrentBucketNames names,
        StateClock since,
        Instant started)
        implements SettingsSnapshot.Factory {
    @Override
    public SettingsSnapshot create(MillraceSettings settings, Map<String, OpenBackend> open) {
        settings.hub().ifPresent(port -> requireBackend(port, settings));
        IdentityRegistry identities = IdentityRegistry.of(settings.identities());
        RoleRegistry roles = new RoleRegistry(settings.sts().roles());
        Sessions sessions =
                new Sessions(sessionKeys, roles, identities, settings.admin().oidc(), InstantSource.system());
        CredentialFinder credentials =
                new CredentialFinder(List.of(identities, sessions), revocations, InstantSource.system());
        RequestVerifier verifier =
                new RequestVerifier(credentials, settings.s3().signatures(), InstantSource.system());
        Map<String, OpenBackend> opened = open(settings.backends(), open);
        Map<String, Backend> backends = SettingsSnapshot.byName(opened.values());
        // The meters of new buckets are registered under their names.
        names.set(new ClientBucketNames(settings.buckets()));
        BucketRegistry buckets = new BucketRegistry(
                settings.buckets(),
                DerivedBackends.with(
                        settings.buckets(),
                        withScratch(settings.buckets(), backends),
                        accounts,
                        objects,
                        archives,
                        settings.transforms(),
                        transforms),
                accounts);
        Authorizer authorizer = new Authorizer(buckets::policyOf);
        RequestsInFlight requests = new RequestsInFlight();
        return new SettingsSnapshot(
                settings,
                opened,
                credentials,
                buckets,
                verifier,
                new BearerTokens(credentials, settings.s3().signatures(), InstantSource.system()),
                new SignInAccess(sessions, roles, provider(settings.admin())),
                authorizer,
                service(
                        settings,
                        credentials,
                        verifier,
                        issuing(settings.sts(), sessions),
                        authorizer,
                        buckets,
                        recorder.and(requests)),
                settings.hub().map(port -> hub(port, backends, buckets, recorder.and(requests))),
                requests,
                new BackendHealthCache(
                        settings.backends(),
                        names.get(),
                        backends,
                        history::load,
                        failures,
                        since,
                        () -> read(buckets)));
    }

    private Map<String, Backend> withScratch(List<BucketSettings> entries, Map<String, Backend> backends) {
        return ScratchBackends.with(entries, backends, cache, InstantSource.system());
    }

    private List<BucketView> read(BucketRegistry buckets) {
        return busiest.get().stream()
                .filter(BucketName::isValid)
                .flatMap(name -> buckets.findAny(new BucketName(name)).stream())
                .toList();
    }

    /** A reload does not change the Hub port, but may take its backend away. */
    private static void requireBackend(HubSettings port, MillraceSettings settings) {
        SettingsVariant backend = settings.backends().get(port.backend());
        if (backend == null || !backend.type().equals("hub")) {
            String reason = "backends.%s: serves the Hub port until a restart: leave it in the file, with type hub"
                    .formatted(port.backend());
            throw new StartException(reason, new IllegalArgumentException(reason));
        }
    }

    /** The port has no identities, whose limits and savings it could count. */
    private RequestService hub(
            HubSettings port, Map<String, Backend> backends, BucketRegistry buckets, RequestRecorder counted) {
        Backend backend = Objects.requireNonNull(backends.get(port.backend()), "required above");
        ObjectReadHandler reads = new ObjectReadHandler(readBuckets(buckets), objects, prefetches);
        return new RequestService(
                new HubResponder(port, backend, buckets, accounts, reads, InstantSource.system()),
                logged(counted, log -> AccessRecorder.ofBackend(log, port.backend(), InstantSource.system())));
    }

    private ReadBucketFinder readBuckets(BucketRegistry buckets) {
        return new ReadBucketFinder(buckets, new MemberViews(objects, archives));
    }

    private RequestRecorder logged(RequestRecorder recording, Function<AccessLog, AccessRecorder> accessesOf) {
        return accesses.map(accessesOf).map(recording::and).orElse(recording);
    }

    /** Returns the sessions that STS issues, which have the rights of these settings; empty without roles. */
    private static Optional<Sessions> issuing(StsSettings sts, Sessions sessions) {
        return sts.roles().isEmpty() ? Optional.empty() : Optional.of(sessions);
    }

    private static Optional<SignInAccess.Provider> provider(ControlPlaneSettings admin) {
        return admin.oidc()
                .map(settings ->
                        new SignInAccess.Provider(settings, new SignInClient(settings, InstantSource.system())));
    }

    private Map<String, OpenBackend> open(Map<String, SettingsVariant> settings, Map<String, OpenBackend> open) {
        Map<String, OpenBackend> all = new LinkedHashMap<>();
        List<OpenBackend> created = new ArrayList<>();
        try {
            settings.forEach((name, typed) -> {
                OpenBackend backend = open.get(name);
                if (backend == null || !backend.hasSettings(typed)) {
                    backend = BackendTypeRegistry.open(name, typed, registry, failures);
                    created.add(backend);
                }
                all.put(name, backend);
            });
            return all;
        } catch (RuntimeException e) {
            new OpenBackends(SettingsSnapshot.byName(created)).close();
            throw e;
        }
    }

    private RequestService service(
            MillraceSettings settings,
            CredentialFinder credentials,
            RequestVerifier verifier,
            Optional<Sessions> sessions,
            Authorizer authorizer,
            BucketRegistry buckets,
            RequestRecorder counted) {
        S3RequestAuthorizer gate = new S3RequestAuthorizer(verifier, authorizer, InstantSource.system());
        CorsRuleCache cors = new CorsRuleCache(buckets);
        RequestRecorder recording = counted.and(new IdentityLimiter(settings.identities(), registry))
                .and(new SavingsRecorder(name -> buckets.findAny(name)
                        .filter(bucket -> !bucket.isScratch())
                        .map(BucketView::savings)));
        StsResponder sts = new StsResponder(
                settings.sts(), credentials, sessions, settings.s3().signatures(), audit, InstantSource.system());
        return new RequestService(
                new S3Responder(
                        new BucketHostRule(settings.s3().domain()),
                        gate,
                        cors,
                        List.of(sts),
                        HandlerRegistry.of(
                                gate,
                                buckets,
                                readBuckets(buckets),
                                cors,
                                objects,
                                prefetches,
                                writes,
                                tokens,
                                started)),
                logged(recording, log -> new AccessRecorder(log, buckets::backendOf, InstantSource.system())));
    }
}

package io.millrace.gateway.app;

import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.session.BearerTokens;
import io.millrace.auth.session.CredentialFinder;
import io.millrace.auth.signature.RequestVerifier;
import io.millrace.backend.spi.Backend;
import io.millrace.gateway.control.BackendHealthCache;
import io.millrace.gateway.control.SignInAccess;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.s3.observe.RequestsInFlight;
import io.millrace.gateway.s3.server.RequestService;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One version of the settings and the objects made from it. Each request is served by one snapshot from beginning to
 * end, so it never sees rights of one version and buckets of another. Immutable.
 *
 * @param settings the settings in force; keys that need a restart have the values of the start
 * @param backends the open backends by name, shared with other snapshots if their settings are equal
 * @param service serves requests by these settings
 * @param hub serves requests at the Hub port; empty if there is none
 * @param requests the requests that {@code service} is serving
 */
record SettingsSnapshot(
        MillraceSettings settings,
        Map<String, OpenBackend> backends,
        CredentialFinder credentials,
        BucketRegistry buckets,
        RequestVerifier verifier,
        BearerTokens tokens,
        SignInAccess signIn,
        Authorizer authorizer,
        RequestService service,
        Optional<RequestService> hub,
        RequestsInFlight requests,
        BackendHealthCache health) {
    SettingsSnapshot {
        backends = Map.copyOf(backends);
    }

    /** A factory of snapshots. */
    @FunctionalInterface
    interface Factory {
        /**
         * Creates a snapshot, with new backends where no open one has the same name and settings.
         *
         * @throws io.millrace.gateway.app.StartException if a backend cannot be created; new ones are closed then
         */
        SettingsSnapshot create(MillraceSettings settings, Map<String, OpenBackend> open);
    }

    /** Returns open backends by name. */
    static Map<String, Backend> byName(Collection<OpenBackend> open) {
        return open.stream().collect(Collectors.toMap(OpenBackend::name, OpenBackend::backend));
    }
}

package io.millrace.backend.s3;

import io.millrace.config.Secret;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.IdentityProvider;
import software.amazon.awssdk.identity.spi.ResolveIdentityRequest;
import software.amazon.awssdk.utils.SdkAutoCloseable;

/**
 * Who we are at the backend.
 *
 * @param identity who we are now; never blocks its subscriber's thread
 * @param source to be closed in the end
 */
record Credentials(Mono<AwsCredentialsIdentity> identity, SdkAutoCloseable source)
        implements IdentityProvider<AwsCredentialsIdentity> {
    /**
     * Those of the operator's file, or of what is set up for the AWS SDKs.
     *
     * @param backend its name in the operator's file
     */
    static Credentials of(String backend, S3BackendSettings settings) {
        if (settings.anonymous()) {
            return fixed(AnonymousCredentialsProvider.create().resolveCredentials());
        }
        Optional<String> key = settings.accessKey();
        Optional<Secret> secret = settings.secretKey();
        if (key.isPresent() && secret.isPresent()) {
            return fixed(given(key.get(), secret.get(), settings.sessionToken()));
        }
        HeldCredentials held = new HeldCredentials(backend, CredentialLink::find, InstantSource.system());
        return new Credentials(held.identity(), held);
    }

    void close() {
        source.close();
    }

    @Override
    public Class<AwsCredentialsIdentity> identityType() {
        return AwsCredentialsIdentity.class;
    }

    @Override
    public CompletableFuture<AwsCredentialsIdentity> resolveIdentity(ResolveIdentityRequest request) {
        return identity.toFuture();
    }

    private static Credentials fixed(AwsCredentialsIdentity identity) {
        return new Credentials(Mono.just(identity), () -> {});
    }

    private static AwsCredentialsIdentity given(String key, Secret secret, Optional<Secret> token) {
        return token.isPresent()
                ? AwsSessionCredentials.create(key, secret.reveal(), token.get().reveal())
                : AwsBasicCredentials.create(key, secret.reveal());
    }
}

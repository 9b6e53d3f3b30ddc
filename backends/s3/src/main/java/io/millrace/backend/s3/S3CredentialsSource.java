package io.millrace.backend.s3;

import io.millrace.config.Secret;
import java.time.InstantSource;
import java.util.Optional;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.utils.SdkAutoCloseable;

/**
 * The source of the current credentials for signing requests to one backend: fixed ones of the settings, or refreshed
 * ones of the AWS SDK.
 *
 * @param identity the current credentials; never blocks the subscriber's thread
 * @param source closed with this
 */
record S3CredentialsSource(Mono<AwsCredentialsIdentity> identity, SdkAutoCloseable source) {
    /**
     * Returns the credentials of the settings, or those that are configured for the AWS SDKs.
     *
     * @param backend its name in the settings
     */
    static S3CredentialsSource of(String backend, S3BackendSettings settings) {
        if (settings.anonymous()) {
            return fixed(AnonymousCredentialsProvider.create().resolveCredentials());
        }
        Optional<String> key = settings.accessKey();
        Optional<Secret> secret = settings.secretKey();
        if (key.isPresent() && secret.isPresent()) {
            return fixed(given(key.get(), secret.get(), settings.sessionToken()));
        }
        RefreshingCredentials held = new RefreshingCredentials(
                backend, () -> CredentialsChainSource.find(settings.region()), InstantSource.system());
        return new S3CredentialsSource(held.identity(), held);
    }

    void close() {
        source.close();
    }

    private static S3CredentialsSource fixed(AwsCredentialsIdentity identity) {
        return new S3CredentialsSource(Mono.just(identity), () -> {});
    }

    private static AwsCredentialsIdentity given(String key, Secret secret, Optional<Secret> token) {
        return token.isPresent()
                ? AwsSessionCredentials.create(key, secret.reveal(), token.get().reveal())
                : AwsBasicCredentials.create(key, secret.reveal());
    }
}

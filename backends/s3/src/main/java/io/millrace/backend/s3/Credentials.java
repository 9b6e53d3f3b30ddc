package io.millrace.backend.s3;

import io.millrace.config.Secret;
import java.util.Optional;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.utils.IoUtils;
import software.amazon.awssdk.utils.SdkAutoCloseable;

/**
 * Who we are at the backend.
 *
 * @param identity who we are now, on a thread that may wait where the provider may
 * @param mayBlock whether asking the provider may wait for another machine, as the SDK's chain does at times
 */
record Credentials(AwsCredentialsProvider provider, Mono<AwsCredentialsIdentity> identity, boolean mayBlock) {
    static Credentials of(S3BackendSettings settings) {
        if (settings.anonymous()) {
            return fixed(AnonymousCredentialsProvider.create());
        }
        Optional<String> key = settings.accessKey();
        Optional<Secret> secret = settings.secretKey();
        if (key.isPresent() && secret.isPresent()) {
            return fixed(given(key.get(), secret.get(), settings.sessionToken()));
        }
        DefaultCredentialsProvider chain = DefaultCredentialsProvider.builder()
                .asyncCredentialUpdateEnabled(true)
                .build();
        Mono<AwsCredentialsIdentity> asked = Mono.fromCallable(chain::resolveCredentials);
        return new Credentials(chain, asked.subscribeOn(Schedulers.boundedElastic()), true);
    }

    void close() {
        if (provider instanceof SdkAutoCloseable closeable) {
            IoUtils.closeQuietlyV2(closeable, null);
        }
    }

    private static Credentials fixed(AwsCredentialsProvider provider) {
        return new Credentials(provider, Mono.just(provider.resolveCredentials()), false);
    }

    private static AwsCredentialsProvider given(String key, Secret secret, Optional<Secret> token) {
        return StaticCredentialsProvider.create(
                token.isPresent()
                        ? AwsSessionCredentials.create(
                                key, secret.reveal(), token.get().reveal())
                        : AwsBasicCredentials.create(key, secret.reveal()));
    }
}

package io.millrace.backend.s3;

import io.millrace.config.Secret;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.utils.IoUtils;
import software.amazon.awssdk.utils.SdkAutoCloseable;

/**
 * Who we are at the backend.
 *
 * @param mayBlock whether asking the provider may wait for another machine, as the SDK's chain does at times
 */
record Credentials(AwsCredentialsProvider provider, boolean mayBlock) {
    static Credentials of(S3BackendSettings settings) {
        if (settings.anonymous()) {
            return new Credentials(AnonymousCredentialsProvider.create(), false);
        }
        Optional<String> key = settings.accessKey();
        Optional<Secret> secret = settings.secretKey();
        if (key.isPresent() && secret.isPresent()) {
            return new Credentials(given(key.get(), secret.get(), settings.sessionToken()), false);
        }
        DefaultCredentialsProvider chain = DefaultCredentialsProvider.builder()
                .asyncCredentialUpdateEnabled(true)
                .build();
        return new Credentials(chain, true);
    }

    void close() {
        if (provider instanceof SdkAutoCloseable closeable) {
            IoUtils.closeQuietlyV2(closeable, null);
        }
    }

    private static AwsCredentialsProvider given(String key, Secret secret, Optional<Secret> token) {
        return StaticCredentialsProvider.create(
                token.isPresent()
                        ? AwsSessionCredentials.create(
                                key, secret.reveal(), token.get().reveal())
                        : AwsBasicCredentials.create(key, secret.reveal()));
    }
}

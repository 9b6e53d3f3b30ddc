package io.millrace.backend.s3.client;

import io.millrace.backend.http.HttpConnectionPool;
import io.millrace.backend.s3.credentials.S3Credentials;
import io.millrace.backend.s3.request.S3Endpoint;
import java.io.ByteArrayInputStream;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.client.config.SdkAdvancedAsyncClientOption;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3AsyncClientBuilder;

/** Creates and configures the SDK's client. */
final class SdkClientFactory {
    private SdkClientFactory() {}

    /** Returns a client whose close also closes {@code network}, but not the credentials. */
    static S3AsyncClient create(S3Endpoint origin, S3Credentials credentials, SdkAsyncHttpClient network) {
        S3AsyncClientBuilder builder = S3AsyncClient.builder()
                .httpClient(network)
                .region(Region.of(origin.region()))
                .forcePathStyle(origin.pathStyle())
                .credentialsProvider(credentials)
                // Clients compute and verify checksums: doing it here would cost CPU for every byte.
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                // A signed request goes only to the configured endpoint.
                .crossRegionAccessEnabled(false)
                .disableS3ExpressSessionAuth(true)
                .multipartEnabled(false)
                // Responses are processed by the thread that read them; a pool would cost two thread switches per
                // request.
                .asyncConfiguration(async ->
                        async.advancedOption(SdkAdvancedAsyncClientOption.FUTURE_COMPLETION_EXECUTOR, Runnable::run))
                .overrideConfiguration(SdkClientFactory::configure);
        origin.endpoint().ifPresent(builder::endpointOverride);
        return builder.build();
    }

    private static void configure(ClientOverrideConfiguration.Builder override) {
        override.retryStrategy(retries())
                .scheduledExecutorService(HttpConnectionPool.loops())
                .addExecutionInterceptor(new ResponseSizeLimit())
                // Only Millrace's settings count, not ~/.aws/config of this machine.
                .defaultProfileFile(ProfileFile.builder()
                        .content(new ByteArrayInputStream(new byte[0]))
                        .type(ProfileFile.Type.CONFIGURATION)
                        .build());
    }

    private static RetryStrategy retries() {
        return AwsRetryStrategy.standardRetryStrategy().toBuilder()
                .maxAttempts(RetryPolicy.MAX_ATTEMPTS)
                .backoffStrategy(RetryPolicy.BACKOFF)
                .throttlingBackoffStrategy(RetryPolicy.THROTTLING_BACKOFF)
                .build();
    }
}

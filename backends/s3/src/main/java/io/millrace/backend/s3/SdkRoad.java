package io.millrace.backend.s3;

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

/** The SDK's client as we use it. */
final class SdkRoad {
    private SdkRoad() {}

    /** Closing it closes {@code network}, and leaves the credentials to their owner. */
    static S3AsyncClient open(Origin origin, Credentials credentials, SdkAsyncHttpClient network) {
        S3AsyncClientBuilder builder = S3AsyncClient.builder()
                .httpClient(network)
                .region(Region.of(origin.region()))
                .forcePathStyle(origin.pathStyle())
                .credentialsProvider(credentials)
                // Checksums are the clients' business: computing or comparing them here would cost CPU for every byte.
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                // A signed request goes where the operator said, and nowhere else.
                .crossRegionAccessEnabled(false)
                .disableS3ExpressSessionAuth(true)
                .multipartEnabled(false)
                // Answers are handed on by the thread that read them; a pool in between would cost two switches a
                // request.
                .asyncConfiguration(async ->
                        async.advancedOption(SdkAdvancedAsyncClientOption.FUTURE_COMPLETION_EXECUTOR, Runnable::run))
                .overrideConfiguration(SdkRoad::configure);
        origin.endpoint().ifPresent(builder::endpointOverride);
        return builder.build();
    }

    private static void configure(ClientOverrideConfiguration.Builder override) {
        override.retryStrategy(retries())
                .scheduledExecutorService(Connections.loops())
                .addExecutionInterceptor(new AnswerLimit())
                // Only the operator's file counts, not what ~/.aws/config of this machine says about S3.
                .defaultProfileFile(ProfileFile.builder()
                        .content(new ByteArrayInputStream(new byte[0]))
                        .type(ProfileFile.Type.CONFIGURATION)
                        .build());
    }

    private static RetryStrategy retries() {
        return AwsRetryStrategy.standardRetryStrategy().toBuilder()
                .maxAttempts(Retries.TRIES)
                .backoffStrategy(Retries.BACKOFF)
                .throttlingBackoffStrategy(Retries.SLOW_DOWN)
                .build();
    }
}

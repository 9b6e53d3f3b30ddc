package io.millrace.clients;

import java.net.URI;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/** The AWS SDK for Java reads the data set by the client that the argument names: {@code sync}, {@code netty} or {@code crt}. */
public final class Main {

    private static final URI ENDPOINT = URI.create(System.getenv("ENDPOINT"));
    private static final Region REGION = Region.of(System.getenv("REGION"));
    private static final StaticCredentialsProvider CREDENTIALS = StaticCredentialsProvider.create(
            AwsBasicCredentials.create(System.getenv("ACCESS_KEY"), System.getenv("SECRET_KEY")));
    private static final long PART_BYTES = 5 << 20;

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "sync" -> {
                sync(Apache5HttpClient.builder());
                sync(UrlConnectionHttpClient.builder());
            }
            case "netty" -> async(netty());
            case "crt" -> async(crt());
            default -> throw new IllegalArgumentException("not a client: " + arguments[0]);
        }
    }

    private static void sync(SdkHttpClient.Builder<?> http) throws Exception {
        try (S3Client s3 = S3Client.builder()
                        .endpointOverride(ENDPOINT)
                        .region(REGION)
                        .credentialsProvider(CREDENTIALS)
                        .forcePathStyle(true)
                        .httpClientBuilder(http)
                        .overrideConfiguration(o -> o.retryStrategy(retry -> retry.maxAttempts(1)))
                        .build();
                S3Presigner presigner = S3Presigner.builder()
                        .endpointOverride(ENDPOINT)
                        .region(REGION)
                        .credentialsProvider(CREDENTIALS)
                        .serviceConfiguration(S3Configuration.builder()
                                .pathStyleAccessEnabled(true)
                                .build())
                        .build()) {
            new SyncReads(s3, presigner).run();
        }
    }

    private static void async(S3AsyncClient client) throws Exception {
        try (client) {
            new AsyncReads(client).run();
        }
    }

    private static S3AsyncClient netty() {
        return S3AsyncClient.builder()
                .endpointOverride(ENDPOINT)
                .region(REGION)
                .credentialsProvider(CREDENTIALS)
                .forcePathStyle(true)
                .httpClientBuilder(NettyNioAsyncHttpClient.builder())
                .multipartEnabled(true)
                .overrideConfiguration(o -> o.retryStrategy(retry -> retry.maxAttempts(1)))
                .build();
    }

    private static S3AsyncClient crt() {
        return S3AsyncClient.crtBuilder()
                .endpointOverride(ENDPOINT)
                .region(REGION)
                .credentialsProvider(CREDENTIALS)
                .forcePathStyle(true)
                .minimumPartSizeInBytes(PART_BYTES)
                .build();
    }
}

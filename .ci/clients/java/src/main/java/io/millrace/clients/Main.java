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

/**
 * The AWS SDK for Java reads the data set or writes, by the first argument ({@code reads} or {@code writes}), through
 * the client that the second names: {@code sync}, {@code netty} or {@code crt}.
 */
public final class Main {

    private static final URI ENDPOINT = URI.create(System.getenv("ENDPOINT"));
    private static final Region REGION = Region.of(System.getenv("REGION"));
    private static final StaticCredentialsProvider CREDENTIALS = StaticCredentialsProvider.create(
            AwsBasicCredentials.create(System.getenv("ACCESS_KEY"), System.getenv("SECRET_KEY")));
    private static final long PART_BYTES = 5 << 20;

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        boolean writes = arguments[0].equals("writes");
        switch (arguments[1]) {
            case "sync" -> {
                sync(Apache5HttpClient.builder(), writes);
                if (!writes) { // one is enough for what takes longer
                    sync(UrlConnectionHttpClient.builder(), false);
                }
            }
            case "netty" -> async(netty(), writes);
            case "crt" -> async(crt(), writes);
            default -> throw new IllegalArgumentException("not a client: " + arguments[1]);
        }
    }

    private static void sync(SdkHttpClient.Builder<?> http, boolean writes) throws Exception {
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
            if (writes) {
                new SyncWrites(s3, presigner).run();
            } else {
                new SyncReads(s3, presigner).run();
            }
        }
    }

    private static void async(S3AsyncClient client, boolean writes) throws Exception {
        try (client) {
            if (writes) {
                new AsyncWrites(client).run();
            } else {
                new AsyncReads(client).run();
            }
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

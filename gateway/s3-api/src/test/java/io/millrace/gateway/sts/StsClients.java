package io.millrace.gateway.sts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.model.Credentials;
import software.amazon.awssdk.services.sts.model.StsException;

/** Clients of a gateway's STS and of its bucket {@code data}, by AWS's SDK. */
record StsClients(URI endpoint) {
    /** The beginning of the name of each role. */
    static final String ROLE = "arn:aws:iam::000000000000:role/";

    static StsClients at(int port) {
        return new StsClients(URI.create("http://127.0.0.1:" + port));
    }

    /** Returns a client of STS without keys. */
    StsClient sts() {
        return sts(AnonymousCredentialsProvider.create());
    }

    /** Returns a client of STS with the keys of the identity {@code admin}. */
    StsClient adminSts() {
        return sts(keys("ADMIN01", "ADMIN01-secret"));
    }

    /** Returns a client of STS, which does not retry. */
    StsClient sts(AwsCredentialsProvider credentials) {
        return sts("/", credentials);
    }

    StsClient sts(String path, AwsCredentialsProvider credentials) {
        return StsClient.builder()
                .httpClientBuilder(Apache5HttpClient.builder())
                .endpointOverride(endpoint.resolve(path))
                .region(Region.US_EAST_1)
                .overrideConfiguration(plan -> plan.retryStrategy(AwsRetryStrategy.doNotRetry()))
                .credentialsProvider(credentials)
                .build();
    }

    S3Client s3(AwsCredentials session) {
        return S3Client.builder()
                .httpClientBuilder(Apache5HttpClient.builder())
                .endpointOverride(endpoint)
                .forcePathStyle(true)
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(session))
                .build();
    }

    S3Presigner presigner(AwsCredentials session) {
        return S3Presigner.builder()
                .endpointOverride(endpoint)
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(session))
                .serviceConfiguration(
                        S3Configuration.builder().pathStyleAccessEnabled(true).build())
                .build();
    }

    HttpResponse<String> post(String form) throws IOException, InterruptedException {
        return post("/", form);
    }

    HttpResponse<String> post(String path, String form) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(endpoint.resolve(path))
                                .header("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
                                .POST(BodyPublishers.ofString(form))
                                .build(),
                        BodyHandlers.ofString());
    }

    static AwsCredentialsProvider keys(String accessKey, String secretKey) {
        return StaticCredentialsProvider.create(AwsBasicCredentials.create(accessKey, secretKey));
    }

    /** Assumes a role by the keys of the client. */
    static AwsSessionCredentials assume(
            StsClient sts, String role, @Nullable String policy, @Nullable Integer seconds) {
        return session(sts.assumeRole(request -> request.roleArn(ROLE + role)
                        .roleSessionName("test")
                        .policy(policy)
                        .durationSeconds(seconds))
                .credentials());
    }

    static AwsSessionCredentials session(Credentials issued) {
        return AwsSessionCredentials.create(issued.accessKeyId(), issued.secretAccessKey(), issued.sessionToken());
    }

    /** Reads an object of the bucket. */
    static String content(S3Client s3, String key) {
        return s3.getObjectAsBytes(get -> get.bucket("data").key(key)).asUtf8String();
    }

    static void assertDenied(Runnable request) {
        assertFails(request, "AccessDenied");
    }

    /** Expects this error of a request to the bucket. */
    static void assertFails(Runnable request, String code) {
        assertThatThrownBy(request::run)
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        e -> assertThat(e.awsErrorDetails().errorCode()).isEqualTo(code));
    }

    /** Expects this error of a request to STS. */
    static void assertRefused(Runnable request, String code) {
        assertThatThrownBy(request::run)
                .isInstanceOfSatisfying(
                        StsException.class,
                        e -> assertThat(e.awsErrorDetails().errorCode()).isEqualTo(code));
    }
}

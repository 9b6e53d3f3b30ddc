package io.millrace.clients;

import software.amazon.awssdk.auth.credentials.WebIdentityTokenFileCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.services.s3.S3Client;

/** Writes one object to the standard output, with nothing but the variables that the SDK knows. */
public final class WebIdentityRead {
    private WebIdentityRead() {}

    public static void main(String[] arguments) {
        try {
            read();
        } catch (AwsServiceException e) {
            System.err.println(e.awsErrorDetails().errorCode() + ": " + e.getMessage());
            System.exit(1);
        }
    }

    private static void read() {
        try (S3Client s3 = S3Client.builder()
                .forcePathStyle(true)
                .credentialsProvider(WebIdentityTokenFileCredentialsProvider.create())
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .build()) {
            System.out.writeBytes(s3.getObjectAsBytes(get -> get.bucket("data").key("key")).asByteArray());
        }
        System.out.flush();
    }
}

package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.s3.model.Bucket;

/** Buckets come and go under their backend's rules. */
interface BucketWriteCases extends EndpointWriteCases {
    @Test
    default void aBucketIsMadeUsedAndDeleted() throws IOException {
        String name = "write-" + UUID.randomUUID();
        assertThat(send(SignedWriteRequest.of("HEAD", "/" + name)).status()).isEqualTo(404);

        RawClient.Response made = send(SignedWriteRequest.of("PUT", "/" + name)
                .body("<CreateBucketConfiguration><LocationConstraint>eu-central-1</LocationConstraint>"
                        + "</CreateBucketConfiguration>"));
        assertThat(made.status()).as(made.text()).isEqualTo(200);
        assertThat(made.headers())
                .containsEntry("location", "/" + name)
                .containsEntry("x-amz-bucket-arn", "arn:aws:s3:::" + name);
        assertThat(sdk().listBuckets().buckets().stream().map(Bucket::name)).contains(name);
        assertThat(send(SignedWriteRequest.put("/" + name + "/key", new byte[3]))
                        .status())
                .isEqualTo(200);

        EndpointWriteCases.assertError(send(SignedWriteRequest.of("DELETE", "/" + name)), 409, "BucketNotEmpty");
        assertThat(send(SignedWriteRequest.get("/" + name + "/key")).status()).isEqualTo(200);

        send(SignedWriteRequest.of("DELETE", "/" + name + "/key"));
        assertThat(send(SignedWriteRequest.of("DELETE", "/" + name)).status()).isEqualTo(204);
        assertThat(send(SignedWriteRequest.of("HEAD", "/" + name)).status()).isEqualTo(404);
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.put("/" + name + "/key", new byte[3])), 404, "NoSuchBucket");
        EndpointWriteCases.assertError(send(SignedWriteRequest.of("DELETE", "/" + name)), 404, "NoSuchBucket");
    }

    @Test
    default void aBucketThatIsThereIsNotMadeAgain() throws IOException {
        assumeTrue(can(OptionalFeature.TELLS_OWN_BUCKETS), "has an answer of its own");
        byte[] bytes = stored("in-bucket", "in", 10);

        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("PUT", "/" + bucket())), 409, "BucketAlreadyOwnedByYou");

        assertHolds("in-bucket", bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/ab", "/a..b", "/-dash", "/.dot", "/a%2Fb", "/%2e%2e", "/a%20b", "/a%00b"})
    default void namesThatNoBucketHasAreRefused(String path) throws IOException {
        RawClient.Response response = send(SignedWriteRequest.of("PUT", path));

        assertThat(response.status()).as(response.text()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/Write-Upper", "/write_score", "/192.168.5.123", "/xn--write", "/sthree-write", "/write-s3alias"
            })
    default void refusesReservedAndInvalidBucketNames(String path) throws IOException {
        EndpointWriteCases.assertError(send(SignedWriteRequest.of("PUT", path)), 400, "InvalidBucketName");

        // A server may say that the name is none, rather than that there is no such bucket.
        assertThat(send(SignedWriteRequest.of("HEAD", path)).status()).isIn(400, 404);
    }

    @Test
    default void refusesUnsupportedBucketOptions() throws IOException {
        String name = "write-" + UUID.randomUUID();

        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("PUT", "/" + name)
                        .body("<CreateBucketConfiguration><Bucket><Type>Directory</Type></Bucket>"
                                + "</CreateBucketConfiguration>")),
                501,
                "NotImplemented");

        assertThat(send(SignedWriteRequest.of("HEAD", "/" + name)).status()).isEqualTo(404);
    }

    @Test
    default void onlyWhoMayEverythingMakesBuckets() throws IOException {
        String name = "write-" + UUID.randomUUID();

        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("PUT", "/" + name).by(RESTRICTED_KEY, RESTRICTED_SECRET)),
                403,
                "AccessDenied");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("PUT", "/" + name).anonymous()), 403, "AccessDenied");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("DELETE", "/" + bucket()).by(RESTRICTED_KEY, RESTRICTED_SECRET)),
                403,
                "AccessDenied");

        assertThat(send(SignedWriteRequest.of("HEAD", "/" + name)).status()).isEqualTo(404);
    }

    @Test
    default void aDocumentThatIsNoneMakesNoBucket() throws IOException {
        String name = "write-" + UUID.randomUUID();

        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("PUT", "/" + name).body("<Other/>")), 400, "MalformedXML");
        EndpointWriteCases.assertError(
                send(SignedWriteRequest.of("PUT", "/" + name)
                        .body("<!DOCTYPE a [<!ENTITY a \"b\">]><CreateBucketConfiguration>&a;"
                                + "</CreateBucketConfiguration>")),
                400,
                "MalformedXML");

        assertThat(send(SignedWriteRequest.of("HEAD", "/" + name)).status()).isEqualTo(404);
    }
}

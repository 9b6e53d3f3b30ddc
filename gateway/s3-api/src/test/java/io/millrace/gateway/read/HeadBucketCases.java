package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.s3.model.Bucket;
import software.amazon.awssdk.services.s3.model.ListBucketsResponse;

/** Buckets themselves: which there are, whether one is, where it is; by path and by host. */
interface HeadBucketCases extends EndpointReadCases {
    @Test
    default void bucketsOfTheBackendAreListed() throws IOException {
        String first = newBucket();
        String second = newBucket();

        List<Bucket> buckets = sdk().listBuckets().buckets();

        assertThat(buckets)
                .extracting(Bucket::name)
                .contains(first, second, bucket())
                .isSorted();
        assertThat(buckets)
                .allSatisfy(bucket -> assertThat(bucket.creationDate()).isNotNull());
        assertThat(wire().get("/").text()).contains("<Owner><ID>tester</ID>");
    }

    @Test
    default void bucketsAreListedByPrefixAndInPages() throws IOException {
        String one = bucketOf("one");
        String other = bucketOf("other");
        // Other tests create and delete buckets of the same server meanwhile.
        List<String> lasting = new ArrayList<>(allBuckets());

        List<String> paged = new ArrayList<>();
        String token = null;
        do {
            String from = token;
            ListBucketsResponse page =
                    sdk().listBuckets(ask -> ask.maxBuckets(1).continuationToken(from));
            assertThat(page.buckets()).hasSizeLessThanOrEqualTo(1);
            page.buckets().forEach(bucket -> paged.add(bucket.name()));
            token = page.continuationToken();
        } while (token != null);

        lasting.retainAll(allBuckets());

        assertThat(paged)
                .isSorted()
                .doesNotHaveDuplicates()
                .contains(one, other)
                .containsAll(lasting);
        assertThat(sdk().listBuckets(ask -> ask.prefix(one)).buckets())
                .extracting(Bucket::name)
                .containsExactly(one);
        assertThat(sdk().listBuckets(ask -> ask.prefix(one)).prefix()).isEqualTo(one);
        assertThat(sdk().listBuckets(ask -> ask.bucketRegion("eu-west-9")).buckets())
                .isEmpty();
        assertThat(sdk().listBuckets(ask -> ask.prefix(one).bucketRegion("us-east-1"))
                        .buckets())
                .allSatisfy(bucket -> assertThat(bucket.bucketRegion()).isEqualTo("us-east-1"))
                .hasSize(1);
    }

    private List<String> allBuckets() {
        return sdk().listBuckets().buckets().stream().map(Bucket::name).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-3", "10001", "many"})
    default void pageOfBucketsHasOneToTenThousand(String most) throws IOException {
        RawClient.Response response = wire().get("/?max-buckets=" + most);

        assertThat(response.status()).as(response.text()).isEqualTo(400);
        assertThat(response.element("Code")).isEqualTo("InvalidArgument");
    }

    @Test
    default void existingBucketIsFoundAndHasARegion() throws IOException {
        RawClient.Response head = wire().head("/" + bucket());
        RawClient.Response withSlash = wire().head("/" + bucket() + "/");
        RawClient.Response location = wire().get("/" + bucket() + "?location");

        assertThat(head.status()).isEqualTo(200);
        assertThat(head.headers()).containsEntry("x-amz-bucket-region", "us-east-1");
        assertThat(withSlash.status()).isEqualTo(200);
        assertThat(location.status()).isEqualTo(200);
        assertThat(location.text()).contains("<LocationConstraint ");
        assertThat(sdk().getBucketLocation(ask -> ask.bucket(bucket())).locationConstraintAsString())
                .isNullOrEmpty();
    }

    @Test
    default void virtualHostStyleRequestsTheSameOfABucket() throws IOException {
        String bucket = bucketOf("a/1", "b");
        RawResponse byHost = wire().under(bucket + "." + TestGateway.DOMAIN);
        RawResponse inCapitals = wire().under(bucket + ".S3.Test:80");

        assertSameText(
                byHost.get("/?list-type=2&delimiter=%2F"), wire().get("/" + bucket + "?list-type=2&delimiter=%2F"));
        assertSameText(byHost.get("/?delimiter=%2F"), wire().get("/" + bucket + "/?delimiter=%2F"));
        assertSameText(byHost.get("/?location"), wire().get("/" + bucket + "?location"));
        assertThat(byHost.head("/").status()).isEqualTo(200);
        assertThat(inCapitals.get("/a/1").status()).isEqualTo(200);
        assertThat(wire().under("not-" + bucket + "." + TestGateway.DOMAIN)
                        .head("/")
                        .status())
                .isEqualTo(404);
        assertThat(wire().under(TestGateway.DOMAIN).get("/" + bucket + "/b").status())
                .as("the domain itself is path style")
                .isEqualTo(200);
    }

    private static void assertSameText(RawClient.Response one, RawClient.Response other) {
        assertThat(one.status()).isEqualTo(200);
        assertThat(one.text()).isEqualTo(other.text());
    }
}

package io.millrace.gateway.objects.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.objects.bucket.ClientBucketNames.ShownPrefix;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Buckets are reported by the names that clients know, whatever their backend. */
class ClientBucketNamesTest {
    private static final BucketName STORE = new BucketName("store");

    @Test
    void bucketHasTheNameThatClientsUse() {
        ClientBucketNames names = names(view("imagenet", "aws", "store", ""));

        assertThat(names.of("aws", STORE)).isEqualTo("imagenet");
        assertThat(names.find("aws", STORE)).contains("imagenet");
        assertThat(names.on("aws")).containsExactly(STORE);
        assertThat(names.of(new ObjectPrefix("aws", STORE, ""))).isEqualTo(new ShownPrefix("imagenet", ""));
    }

    @Test
    void viewsOfOneBucketAreAllNamed() {
        ClientBucketNames names = names(view("c00", "aws", "store", "c00/"), view("c01", "aws", "store", "c01/"));

        assertThat(names.of("aws", STORE)).isEqualTo("c00, c01");
        assertThat(names.inSettings("aws", STORE)).containsExactly("c00", "c01");
        assertThat(names.on("aws")).containsExactly(STORE);
        assertThat(names.of(new ObjectPrefix("aws", STORE, "c01/"))).isEqualTo(new ShownPrefix("c01", ""));
    }

    @Test
    void nameIsShortHoweverManyViewsThereAre() {
        ClientBucketNames names = names(IntStream.range(0, 100)
                .mapToObj(i -> view("view" + i, "aws", "store", i + "/"))
                .toArray(BucketSettings[]::new));

        assertThat(names.of("aws", STORE)).isEqualTo("view0, view1, view2, view3, ...");
    }

    @Test
    void patternShowsABucketByItsOwnName() {
        ClientBucketNames names =
                names(view("part", "aws", "store", "in/"), BucketViews.settings("*", "aws", Optional.empty(), ""));

        assertThat(names.of("aws", STORE)).isEqualTo("part, store");
        assertThat(names.inSettings("aws", STORE)).containsExactly("part");
        assertThat(names.of("aws", new BucketName("other"))).isEqualTo("other");
        assertThat(names.find("aws", new BucketName("other"))).isEmpty();
        assertThat(names.on("aws")).containsExactly(STORE);
    }

    /** A wrong {@code from} is then seen without a request of a client. */
    @Test
    void sourceOfADerivedBucketIsNamedAlsoIfAPatternServesIt() {
        ClientBucketNames names = names(
                BucketViews.derived("samples", "store", "*", ""),
                BucketViews.derived("zips", "store", "*.zip", ""),
                BucketViews.settings("*", "aws", Optional.empty(), ""));

        assertThat(names.on("aws")).containsExactly(STORE);
        assertThat(names.inSettings("aws", STORE)).containsExactly("store");
        assertThat(names.find("aws", STORE)).contains("store");
        assertThat(names.derivedFrom("aws", STORE)).containsExactly("samples", "zips");
        assertThat(names.derivedFrom("aws", new BucketName("other"))).isEmpty();
    }

    @Test
    void bucketIsConfinedToThePrefixesOfItsEntries() {
        ClientBucketNames names = names(
                view("one", "aws", "store", "in/"),
                view("two", "aws", "store", "out/"),
                view("part", "aws", "whole", "in/"),
                view("all", "aws", "whole", ""));

        assertThat(names.prefixesIn("aws", STORE)).containsExactly("in/", "out/");
        assertThat(names.prefixesIn("aws", new BucketName("whole"))).containsExactly("");
        assertThat(names.prefixesIn("aws", new BucketName("other"))).containsExactly("");
        assertThat(names.prefixesIn("gcs", STORE)).containsExactly("");
    }

    @Test
    void bucketThatAPatternShowsIsConfinedToNoPrefix() {
        ClientBucketNames names =
                names(view("part", "aws", "store", "in/"), BucketViews.settings("*", "aws", Optional.empty(), ""));

        assertThat(names.prefixesIn("aws", STORE)).containsExactly("");
    }

    @Test
    void patternShowsBucketsOfItsBackendThatNoEarlierEntryTakes() {
        ClientBucketNames names =
                names(view("taken", "gcs", "store", ""), BucketViews.settings("t*", "aws", Optional.empty(), ""));

        assertThat(names.isOfPattern("aws", new BucketName("tmp"))).isTrue();
        assertThat(names.isOfPattern("gcs", new BucketName("tmp"))).isFalse();
        assertThat(names.isOfPattern("aws", new BucketName("taken"))).isFalse();
        assertThat(names.isOfPattern("aws", STORE)).isFalse();
    }

    @Test
    void sameObjectsHaveEveryNameOfTheirs() {
        ClientBucketNames names = names(view("first", "aws", "store", "in/"), view("second", "aws", "store", "in/"));
        ObjectPrefix counted = new ObjectPrefix("aws", STORE, "in/");

        assertThat(names.of(counted)).isEqualTo(new ShownPrefix("first", ""));
        assertThat(names.allOf(counted)).containsExactly(new ShownPrefix("first", ""), new ShownPrefix("second", ""));
    }

    @Test
    void sameNameOnTwoBackendsIsTwoBuckets() {
        ClientBucketNames names = names(view("near", "file", "store", ""), view("far", "aws", "store", ""));

        assertThat(names.of("file", STORE)).isEqualTo("near");
        assertThat(names.of("aws", STORE)).isEqualTo("far");
    }

    private static ClientBucketNames names(BucketSettings... entries) {
        return new ClientBucketNames(List.of(entries));
    }

    private static BucketSettings view(String name, String backend, String real, String prefix) {
        return BucketViews.settings(name, backend, Optional.of(new BucketName(real)), prefix);
    }
}

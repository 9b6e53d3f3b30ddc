package io.millrace.gateway.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BucketName;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.bucket.BucketNames.ShownPrefix;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Numbers are told of the buckets that clients know, wherever these live. */
class BucketNamesTest {
    private static final BucketName STORE = new BucketName("store");

    @Test
    void bucketHasTheNameThatClientsUse() {
        BucketNames names = names(view("imagenet", "aws", "store", ""));

        assertThat(names.of("aws", STORE)).isEqualTo("imagenet");
        assertThat(names.find("aws", STORE)).contains("imagenet");
        assertThat(names.on("aws")).containsExactly(STORE);
        assertThat(names.of(new ObjectPrefix("aws", STORE, ""))).isEqualTo(new ShownPrefix("imagenet", ""));
    }

    @Test
    void viewsOfOneBucketAreAllNamed() {
        BucketNames names = names(view("c00", "aws", "store", "c00/"), view("c01", "aws", "store", "c01/"));

        assertThat(names.of("aws", STORE)).isEqualTo("c00,c01");
        assertThat(names.on("aws")).containsExactly(STORE);
        assertThat(names.of(new ObjectPrefix("aws", STORE, "c01/"))).isEqualTo(new ShownPrefix("c01", ""));
    }

    @Test
    void nameIsShortHoweverManyViewsThereAre() {
        BucketNames names = names(IntStream.range(0, 100)
                .mapToObj(i -> view("view" + i, "aws", "store", i + "/"))
                .toArray(BucketSettings[]::new));

        assertThat(names.of("aws", STORE)).isEqualTo("view0,view1,view2,view3,...");
    }

    @Test
    void patternShowsABucketByItsOwnName() {
        BucketNames names =
                names(view("part", "aws", "store", "in/"), Views.settings("*", "aws", Optional.empty(), ""));

        assertThat(names.of("aws", STORE)).isEqualTo("part,store");
        assertThat(names.of("aws", new BucketName("other"))).isEqualTo("other");
        assertThat(names.find("aws", new BucketName("other"))).isEmpty();
        assertThat(names.on("aws")).containsExactly(STORE);
    }

    @Test
    void sameNameOnTwoBackendsIsTwoBuckets() {
        BucketNames names = names(view("near", "file", "store", ""), view("far", "aws", "store", ""));

        assertThat(names.of("file", STORE)).isEqualTo("near");
        assertThat(names.of("aws", STORE)).isEqualTo("far");
    }

    private static BucketNames names(BucketSettings... entries) {
        return new BucketNames(List.of(entries));
    }

    private static BucketSettings view(String name, String backend, String real, String prefix) {
        return Views.settings(name, backend, Optional.of(new BucketName(real)), prefix);
    }
}

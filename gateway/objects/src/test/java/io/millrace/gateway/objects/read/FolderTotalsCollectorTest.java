package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.objects.read.CacheResidency.FolderListing;
import io.millrace.gateway.objects.read.CacheResidency.ResidencyTotals;
import org.junit.jupiter.api.Test;

class FolderTotalsCollectorTest {
    private static final ResidencyTotals ONE = new ResidencyTotals(1, 10, 1, 4);

    @Test
    void sumsUpKeysByFolder() {
        FolderTotalsCollector children = new FolderTotalsCollector("a/", "/", 10);
        for (String key : new String[] {"a/b/1", "a/b/c/2", "a/", "a//3", "a/x", "a/bb"}) {
            children.add(key, ONE);
        }

        FolderListing sum = children.sum();

        assertThat(sum.children().keySet()).containsExactly("a/", "a//", "a/b/", "a/bb", "a/x");
        assertThat(sum.children().get("a/b/")).isEqualTo(new ResidencyTotals(2, 20, 2, 8));
        assertThat(sum.all()).isEqualTo(new ResidencyTotals(6, 60, 6, 24));
        assertThat(sum.others()).isEqualTo(ResidencyTotals.NONE);
    }

    @Test
    void sumsUpExcessFoldersAsOthers() {
        FolderTotalsCollector children = new FolderTotalsCollector("", "/", 3);
        for (int i = 0; i < 1000; i++) {
            children.add("folder-" + i % 100 + "/key-" + i, ONE);
        }

        FolderListing sum = children.sum();

        assertThat(sum.children())
                .hasSize(3)
                .allSatisfy((name, child) -> assertThat(child.objects()).isEqualTo(10));
        assertThat(sum.others()).isEqualTo(new ResidencyTotals(970, 9700, 970, 3880));
        assertThat(sum.all()).isEqualTo(new ResidencyTotals(1000, 10_000, 1000, 4000));
    }

    @Test
    void sumsUpEverythingWithoutADelimiter() {
        FolderTotalsCollector children = new FolderTotalsCollector("a/", "", 10);
        children.add("a/b/c", ONE);
        children.add("a/d", ONE);

        assertThat(children.sum().all()).isEqualTo(new ResidencyTotals(2, 20, 2, 8));
        assertThat(children.sum().children()).isEmpty();
    }
}

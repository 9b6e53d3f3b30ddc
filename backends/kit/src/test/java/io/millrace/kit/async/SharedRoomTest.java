package io.millrace.kit.async;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SharedRoomTest {
    private final SharedRoom<String> room = new SharedRoom<>(100);

    @Test
    void oneAloneGetsHalf() {
        assertThat(room.take("one", 30)).isTrue();
        assertThat(room.take("one", 20)).isTrue();

        assertThat(room.take("one", 1)).isFalse();
    }

    @Test
    void whoComesLaterGetsHalfOfWhatIsLeft() {
        assertThat(room.take("one", 50)).isTrue();

        assertThat(room.take("other", 26)).isFalse();
        assertThat(room.take("other", 25)).isTrue();
        assertThat(room.take("third", 12)).isTrue();
    }

    @Test
    void whatIsReleasedIsFreeForAll() {
        assertThat(room.take("one", 50)).isTrue();
        assertThat(room.take("other", 25)).isTrue();

        room.release("one", 50);

        assertThat(room.take("other", 12)).isTrue();
        assertThat(room.take("third", 31)).isTrue();
    }
}

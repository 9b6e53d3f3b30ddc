package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

class DiskQueueTest {
    @Test
    void whatTheWriterTookMeanwhileIsNotGivenUp() {
        BlockingQueue<Integer> queue = new LinkedBlockingQueue<>(List.of(1, 2, 3, 4, 5));

        List<Integer> givenUp = Disk.takenOut(queue, job -> {
            if (job == 2) {
                assertThat(queue.poll()).isEqualTo(2);
                assertThat(queue.poll()).isEqualTo(3);
            }
            return job != 4;
        });

        assertThat(givenUp).containsExactly(1, 5);
        assertThat(queue).containsExactly(4);
    }
}

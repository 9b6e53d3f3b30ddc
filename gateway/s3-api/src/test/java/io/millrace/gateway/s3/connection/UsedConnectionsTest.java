package io.millrace.gateway.s3.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class UsedConnectionsTest {
    private final UsedConnections used = new UsedConnections();
    private final List<EmbeddedChannel> added = new ArrayList<>();

    @Test
    void theLongestIdleIsClosedFirst() {
        EmbeddedChannel busy = add(new Idle(-1));
        EmbeddedChannel shorter = add(new Idle(10));
        EmbeddedChannel longest = add(new Idle(20));

        assertThat(closesOne()).isTrue();
        assertThat(Stream.of(busy, shorter, longest).map(Channel::isOpen)).containsExactly(true, true, false);
        assertThat(closesOne()).isTrue();
        assertThat(Stream.of(busy, shorter).map(Channel::isOpen)).containsExactly(true, false);
        assertThat(closesOne()).isFalse();
        assertThat(busy.isOpen()).isTrue();
    }

    @Test
    void requestThatComesMeanwhileKeepsItsConnection() {
        Idle activity = new Idle(10);
        EmbeddedChannel channel = add(activity);

        assertThat(used.closeOne()).isTrue();
        activity.nanos = -1;
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isTrue();

        activity.nanos = 5;
        assertThat(closesOne()).as("after its end").isTrue();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void oneIdleConnectionAmongManyBusyOnesIsFoundInTurns() {
        for (int i = 0; i < 3 * UsedConnections.LOOKED_AT; i++) {
            add(new Idle(-1));
        }
        EmbeddedChannel idle = add(new Idle(10));

        int looks = 1;
        while (!closesOne()) {
            assertThat(++looks).isLessThanOrEqualTo(4);
        }
        assertThat(idle.isOpen()).isFalse();
    }

    @Test
    void withNoneIdleTheLongestUnsentIsClosed() {
        EmbeddedChannel idle = add(new Idle(10));
        EmbeddedChannel busy = add(new Idle(-1));
        EmbeddedChannel justSent = add(unsent(UsedConnections.UNTAKEN.toNanos() - 1));
        EmbeddedChannel shorter = add(unsent(UsedConnections.UNTAKEN.toNanos()));
        EmbeddedChannel longest = add(unsent(UsedConnections.UNTAKEN.toNanos() + 1));
        List<EmbeddedChannel> all = List.of(idle, busy, justSent, shorter, longest);

        assertThat(closesOne()).isTrue();
        assertThat(all.stream().map(Channel::isOpen)).containsExactly(false, true, true, true, true);
        assertThat(closesOne()).isTrue();
        assertThat(all.stream().map(Channel::isOpen)).containsExactly(false, true, true, true, false);
        assertThat(closesOne()).isTrue();
        assertThat(all.stream().map(Channel::isOpen)).containsExactly(false, true, true, false, false);
        assertThat(closesOne()).as("what was just sent is on its way").isFalse();
    }

    @Test
    void responseThatIsTakenMeanwhileKeepsItsConnection() {
        Idle activity = unsent(UsedConnections.UNTAKEN.toNanos());
        EmbeddedChannel channel = add(activity);

        assertThat(used.closeOne()).isTrue();
        activity.unsentNanos = -1;
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isTrue();

        activity.unsentNanos = UsedConnections.UNTAKEN.toNanos();
        assertThat(closesOne()).as("once another waits").isTrue();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void closedConnectionsAreNotChosen() {
        List<EmbeddedChannel> channels = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            channels.add(add(new Idle(i)));
        }
        for (int i : new int[] {0, 4, 2}) {
            channels.get(i).finishAndReleaseAll();
        }

        assertThat(closesOne()).isTrue();
        assertThat(channels.get(3).isOpen()).isFalse();
        assertThat(closesOne()).isTrue();
        assertThat(channels.get(1).isOpen()).isFalse();
        assertThat(closesOne()).isFalse();
    }

    private static Idle unsent(long nanos) {
        Idle busy = new Idle(-1);
        busy.unsentNanos = nanos;
        return busy;
    }

    private EmbeddedChannel add(Idle activity) {
        EmbeddedChannel channel = new EmbeddedChannel();
        used.add(channel, activity);
        added.add(channel);
        return channel;
    }

    private boolean closesOne() {
        boolean closes = used.closeOne();
        added.forEach(EmbeddedChannel::runPendingTasks);
        return closes;
    }

    /** A connection that has been idle for some time, or whose response has waited; with negative ones neither. */
    private static final class Idle implements ConnectionActivity {
        private long nanos;
        private long unsentNanos = -1;

        Idle(long nanos) {
            this.nanos = nanos;
        }

        @Override
        public long idleNanos(long now) {
            return nanos;
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // the test looks at the channel
        public boolean closeIfIdle(Channel channel) {
            if (nanos >= 0) {
                channel.close();
            }
            return nanos >= 0;
        }

        @Override
        public long unsentNanos(long now) {
            return unsentNanos;
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // the test looks at the channel
        public boolean closeIfUnsent(Channel channel) {
            if (unsentNanos >= 0) {
                channel.close();
            }
            return unsentNanos >= 0;
        }
    }
}

package io.millrace.gateway.agreement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InvalidClassException;
import java.io.Serializable;
import java.lang.Thread.UncaughtExceptionHandler;
import org.apache.ratis.protocol.exceptions.RaftException;
import org.apache.ratis.util.ExitUtils;
import org.apache.ratis.util.IOUtils;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What Ratis may do to the process after it was prepared, and what it may not. */
class RatisProcessTest {
    /** A class that no peer has a reason to send. */
    private record Strange(String text) implements Serializable {}

    @Test
    void exceptionOfAPeerIsReadAndAnyOtherObjectIsNot() {
        RatisProcess.prepare();
        byte[] exception = IOUtils.object2Bytes(new RaftException("no leader", new IOException("closed")));
        byte[] strange = IOUtils.object2Bytes(new Strange("text"));

        assertThat(IOUtils.bytes2Object(exception, Throwable.class))
                .isInstanceOf(RaftException.class)
                .hasMessage("no leader");
        assertThatThrownBy(() -> IOUtils.bytes2Object(strange, Object.class))
                .hasCauseInstanceOf(InvalidClassException.class);
    }

    @Test
    void handlerOfUncaughtExceptionsStaysAndExitsAreExceptions() {
        @Nullable UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        RatisProcess.prepare();

        assertThat(Thread.getDefaultUncaughtExceptionHandler()).isSameAs(before);
        assertThatThrownBy(() -> ExitUtils.terminate(1, "port in use", null))
                .isInstanceOf(ExitUtils.ExitException.class);
        assertThat(Thread.getDefaultUncaughtExceptionHandler()).isSameAs(before);
    }
}

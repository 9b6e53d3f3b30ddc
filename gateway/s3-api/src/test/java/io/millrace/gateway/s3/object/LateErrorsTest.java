package io.millrace.gateway.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What fails in a body is S3's error there, and what nobody expected can be found in the log by its request. */
class LateErrorsTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(LateErrors.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(log);
    }

    @Test
    void expectedFailuresAreNotLogged() {
        S3Exception refused = new S3Exception(S3ErrorCode.ACCESS_DENIED);
        BackendException absent = new BackendException(FailureKind.NO_SUCH_KEY, "no key");

        assertThat(LateErrors.toS3("request-1", refused)).isSameAs(refused);
        assertThat(LateErrors.toS3("request-1", absent).code()).isEqualTo("NoSuchKey");
        assertThat(log.list).isEmpty();
    }

    @Test
    void unexpectedFailuresAreLoggedWithTheirRequest() {
        S3Exception ours = LateErrors.toS3("request-1", new IllegalStateException("ours"));
        S3Exception theirs = LateErrors.toS3("request-2", new BackendException(FailureKind.UNEXPECTED, "theirs"));

        assertThat(ours.status()).isEqualTo(500);
        assertThat(theirs.status()).isEqualTo(500);
        assertThat(theirs.reason()).as("for operators").isEqualTo("theirs");
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("Request request-1 failed unexpectedly", "Request request-2 failed unexpectedly");
    }
}

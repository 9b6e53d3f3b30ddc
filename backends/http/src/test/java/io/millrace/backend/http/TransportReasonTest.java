package io.millrace.backend.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Reasons of failed connections are words for people, whatever libraries say. */
class TransportReasonTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            finishConnect(..) failed with error(-111): Connection refused | connection refused
            finishConnect(..) failed with error(-111)                     | connection refused
            recvAddress(..) failed with error(-104):Connection reset by peer | connection reset by peer
            writevAddresses(..) failed: Broken pipe                       | broken pipe
            Connection refused: /127.0.0.1:9000                           | connection refused: 127.0.0.1:9000
            Connection refused: far.test/10.0.0.7:9000                    | connection refused: far.test/10.0.0.7:9000
            connection timed out after 300 ms: far.test/<unresolved>:9000 | connection timed out after 300 ms: far.test:9000
            javax.net.ssl.SSLException: java.io.IOException: it is late   | it is late
            """)
    void messageIsInWords(String message, String words) {
        assertThat(TransportReason.of(new IOException("outer", new IOException(message))))
                .isEqualTo(words);
    }

    /** A server may have sent it. */
    @Test
    void longMessageTakesLittleOfTheStack() {
        String message = "_.".repeat(10_000);

        assertThat(TransportReason.of(new IOException(message))).isEqualTo(message);
    }

    @ParameterizedTest
    @MethodSource("unnamed")
    void failureWithoutAMessageIsInWords(Throwable failure, String words) {
        assertThat(TransportReason.of(failure)).isEqualTo(words);
    }

    static Stream<Arguments> unnamed() {
        return Stream.of(
                Arguments.of(new ClosedChannelException(), "the server closed the connection"),
                Arguments.of(new NoRouteToHostException(), "no route to host"),
                Arguments.of(new ConnectException(), "connection refused"),
                Arguments.of(new TimeoutException(), "no response in time"),
                Arguments.of(new IOException(), "no reason is known"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            Failed to resolve 'far.invalid' [A(1), AAAA(28)] after 2 queries | far.invalid
            far.invalid: Name or service not known                           | far.invalid
            far.invalid                                                      | far.invalid
            """)
    void unknownHostIsNamed(String message, String host) {
        BackendException failure = TransportFailures.of(new UnknownHostException(message), false);

        assertThat(failure).hasMessage("unknown host: " + host);
    }

    @Test
    void missingRouteIsUnprocessed() {
        BackendException failure = TransportFailures.of(new NoRouteToHostException(), true);

        assertThat(failure.kind()).isEqualTo(FailureKind.UNAVAILABLE);
        assertThat(failure.isUnprocessed()).isTrue();
        assertThat(failure).hasMessage("no connection: no route to host");
    }
}

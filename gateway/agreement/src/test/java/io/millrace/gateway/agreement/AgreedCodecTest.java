package io.millrace.gateway.agreement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Forms that come back as they were, and forms that nobody has written. */
class AgreedCodecTest {
    private static final TransactionRequest REQUEST = new TransactionRequest(
            new UUID(1, 2),
            3,
            new Transaction(
                    List.of(new RevisionCompare("a", 4), RevisionCompare.absent("b")),
                    List.of(new Change.Put("a", "\u00e4"), new Change.Delete("b"))));

    @Test
    void requestComesBack() throws IOException {
        assertThat(AgreedCodec.request(AgreedCodec.encode(REQUEST))).isEqualTo(REQUEST);
    }

    @Test
    void replyComesBack() throws IOException {
        for (TransactionReply.Status status : TransactionReply.Status.values()) {
            TransactionReply reply = new TransactionReply(status, 5);

            assertThat(AgreedCodec.reply(AgreedCodec.encode(reply))).isEqualTo(reply);
        }
    }

    @Test
    void entriesAndPrefixComeBack() throws IOException {
        List<AgreedEntry> entries = List.of(new AgreedEntry("a", "", 1), new AgreedEntry("b", "\u00e4", 2));

        assertThat(AgreedCodec.entries(AgreedCodec.encode(entries))).isEqualTo(entries);
        assertThat(AgreedCodec.prefix(AgreedCodec.encodePrefix("a/"))).isEqualTo("a/");
    }

    @Test
    void formThatIsCutOrTooLongOrOfAnotherReleaseIsRefused() {
        byte[] form = AgreedCodec.encode(REQUEST);
        for (int length = 0; length < form.length; length++) {
            byte[] cut = Arrays.copyOf(form, length);

            assertThatThrownBy(() -> AgreedCodec.request(cut)).isInstanceOf(IOException.class);
        }
        byte[] longer = Arrays.copyOf(form, form.length + 1);
        byte[] later = form.clone();
        later[0]++;

        assertThatThrownBy(() -> AgreedCodec.request(longer)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> AgreedCodec.request(later))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("another release");
    }

    @Test
    void changedByteNeverFailsOtherwise() {
        byte[] form = AgreedCodec.encode(REQUEST);
        for (int at = 0; at < form.length; at++) {
            for (int value : new int[] {0, 1, 0x7F, 0x80, 0xFF}) {
                byte[] changed = form.clone();
                changed[at] = (byte) value;
                try {
                    assertThat(AgreedCodec.request(changed).transaction().changes())
                            .isNotEmpty();
                } catch (IOException refused) {
                    assertThat(refused).hasMessageNotContaining("null");
                }
            }
        }
    }
}

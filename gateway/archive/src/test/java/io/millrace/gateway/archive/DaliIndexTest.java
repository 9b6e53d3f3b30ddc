package io.millrace.gateway.archive;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the lists that wds2idx writes beside tars. */
class DaliIndexTest {
    private static final String LIST = """
            v1.2 2
            jpg 512 4 a/1.jpg cls 1536 1 a/1.cls
            /2 2560 0 ./a/2
            """;
    private static final byte[] TAR = new TarBytes()
            .file("a/1.jpg", "jpeg")
            .file("a/1.cls", "7")
            .file("./a/2", "")
            .ended();

    @Test
    void givesTheMembersOfTheArchive() {
        MemberIndex listed = read(LIST);
        MemberIndexBuilder scanned = new MemberIndexBuilder(ArchiveFormat.TAR, ArchiveLimits.defaults());
        Scan.of(ArchiveFormat.TAR, TAR).members().forEach(scanned::member);

        assertThat(listed.encoded()).isEqualTo(scanned.build().encoded());
        for (int i = 0; i < listed.size(); i++) {
            assertThat(confirms(TAR, listed.member(i))).isTrue();
        }
    }

    @Test
    void filesWithoutAnExtensionAreRead() {
        assertThat(read("v1.2 1\n 512 4 file.\n").name(0)).isEqualTo("file.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "v1.2",
                "v1.2 1",
                "v1.1 1\njpg 512 4\n",
                "v1.2 2\njpg 512 4 a.jpg\n",
                "v1.2 1\njpg 512 4 a.jpg",
                "v1.2 1\njpg 512 4 a.jpg\njpg 1536 1 b.jpg\n",
                "v1.2 1 jpg 512 4 a.jpg\n",
                "v1.2 x\njpg 512 4 a.jpg\n",
                "v1.2 1\njpg 512 4 a b.jpg\n",
                "v1.2 1\njpg 512 4 \\303\\244.jpg\n",
                "v1.2 1\njpg 513 4 a.jpg\n",
                "v1.2 1\njpg 0 4 a.jpg\n",
                "v1.2 1\njpg -512 4 a.jpg\n",
                "v1.2 1\njpg 512 9999999 a.jpg\n",
                "v1.2 1\njpg 512 999999999999999999 a.jpg\n",
                "v1.2 1\njpg 512 99999999999999999999 a.jpg\n",
                "v1.2 1\njpg 51200 1 a.jpg\n"
            })
    void otherListsAreRefused(String text) {
        try {
            read(text);
        } catch (ArchiveException e) {
            assertThat(e.kind()).isEqualTo(ArchiveException.Kind.DAMAGED);
            assertThat(e.position()).isBetween(0L, (long) text.length());
            return;
        }
        throw new AssertionError("was read");
    }

    @Test
    void eachCutIsRefused() {
        for (int length = 0; length < LIST.length(); length++) {
            otherListsAreRefused(LIST.substring(0, length));
        }
    }

    @Test
    void namesThatAreNoKeysAreHidden() {
        MemberIndex index = read("v1.2 1\njpg 512 4 ../a.jpg\n");

        assertThat(index.size()).isZero();
        assertThat(index.hidden(HiddenReason.RELATIVE_NAME)).isEqualTo(1);
    }

    @Test
    void otherMembersAreNotConfirmed() {
        assertThat(confirms(TAR, ArchiveMember.ofTar("a/1.jpg", 512, 4))).isTrue();
        assertThat(confirms(TAR, ArchiveMember.ofTar("a/1.png", 512, 4))).isFalse();
        assertThat(confirms(TAR, ArchiveMember.ofTar("a/1.jpg", 512, 3))).isFalse();
        assertThat(confirms(TAR, ArchiveMember.ofTar("a/1.jpg", 1024, 4))).isFalse();
        byte[] damaged = TAR.clone();
        damaged[400] = 1;
        assertThat(confirms(damaged, ArchiveMember.ofTar("a/1.jpg", 512, 4))).isFalse();
        byte[] folder = new TarBytes().entry('5', "a", new byte[0]).ended();
        assertThat(confirms(folder, ArchiveMember.ofTar("a", 512, 0))).isFalse();
    }

    @Test
    void headersHaveTheBeginningOfLongNames() {
        String name = "n".repeat(150);
        byte[] tar = new TarBytes().file(name.substring(0, 100), "").ended();

        assertThat(confirms(tar, ArchiveMember.ofTar(name, 512, 0))).isTrue();
        assertThat(confirms(tar, ArchiveMember.ofTar("x" + name, 512, 0))).isFalse();
    }

    private static boolean confirms(byte[] tar, ArchiveMember member) {
        int header = (int) member.position() - DaliIndex.HEADER_BYTES;
        return DaliIndex.confirms(ByteBuffer.wrap(tar, header, DaliIndex.HEADER_BYTES), member);
    }

    private static MemberIndex read(String text) {
        MemberIndexBuilder members = new MemberIndexBuilder(ArchiveFormat.TAR, ArchiveLimits.defaults());
        DaliIndex.read(
                ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)),
                TAR.length,
                ArchiveLimits.defaults(),
                members);
        return members.build();
    }
}

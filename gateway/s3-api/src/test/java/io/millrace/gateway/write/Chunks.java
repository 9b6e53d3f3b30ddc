package io.millrace.gateway.write;

import java.util.Arrays;

/** Bodies framed as aws-chunked, one char a byte. */
final class Chunks {
    private Chunks() {}

    /** Each chunk with the signature that follows {@code seed}. */
    static String signed(PayloadSigning signing, String seed, byte[] bytes, int size, String... trailer) {
        StringBuilder framed = new StringBuilder();
        String previous = seed;
        for (int at = 0; at <= bytes.length; at += size) {
            byte[] chunk = Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + size));
            if (chunk.length == 0) {
                break;
            }
            previous = signing.ofChunk(previous, chunk);
            framed.append(head(chunk.length, previous))
                    .append(SignedWriteRequest.latin1(chunk))
                    .append("\r\n");
        }
        previous = signing.ofChunk(previous, new byte[0]);
        framed.append(head(0, previous));
        if (trailer.length > 0) {
            String fields = String.join("\n", trailer).replace(": ", ":") + "\n";
            framed.append(fields.replace("\n", "\r\n"));
            framed.append("x-amz-trailer-signature:" + signing.ofTrailer(previous, fields) + "\r\n");
        }
        return framed.append("\r\n").toString();
    }

    static String unsigned(byte[] bytes, int size, String... trailer) {
        StringBuilder framed = new StringBuilder();
        for (int at = 0; at < bytes.length; at += size) {
            byte[] chunk = Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + size));
            framed.append(Integer.toHexString(chunk.length) + "\r\n")
                    .append(SignedWriteRequest.latin1(chunk))
                    .append("\r\n");
        }
        framed.append("0\r\n");
        for (String field : trailer) {
            framed.append(field.replace(": ", ":")).append("\r\n");
        }
        return framed.append("\r\n").toString();
    }

    private static String head(int length, String signature) {
        return Integer.toHexString(length) + ";chunk-signature=" + signature + "\r\n";
    }
}

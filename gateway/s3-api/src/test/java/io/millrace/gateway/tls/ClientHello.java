package io.millrace.gateway.tls;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;

/**
 * The first message of a TLS handshake, written byte by byte: it offers what the JDK's client does not.
 *
 * @param version the newest version offered, such as 0x0303 for TLS 1.2
 * @param suites the numbers of the cipher suites offered
 */
record ClientHello(int version, List<Integer> suites) {
    static final int SSL_3 = 0x0300;
    static final int TLS_1_0 = 0x0301;
    static final int TLS_1_1 = 0x0302;
    static final int TLS_1_2 = 0x0303;

    private static final int SUPPORTED_GROUPS = 10;
    private static final int POINT_FORMATS = 11;
    private static final int SIGNATURE_ALGORITHMS = 13;
    private static final int RENEGOTIATION_INFO = 0xFF01;
    private static final int ALERT = 21;
    private static final int HANDSHAKE = 22;

    /**
     * The first message of a server.
     *
     * @param alert the number of a fatal alert; -1 if the server accepts
     * @param suite the number of the suite that it chose, or -1
     */
    record ServerHello(int alert, int suite) {}

    static ClientHello of(int version, int... suites) {
        return new ClientHello(version, Arrays.stream(suites).boxed().toList());
    }

    /** Returns the record to send. */
    byte[] bytes() throws IOException {
        byte[] message = message();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(all);
        out.writeByte(HANDSHAKE);
        out.writeShort(Math.min(version, TLS_1_0));
        out.writeShort(message.length + 4);
        out.writeInt(1 << 24 | message.length);
        out.write(message);
        return all.toByteArray();
    }

    /** Sends it to a port of the loopback and reads the server's first message. */
    ServerHello sendTo(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(bytes());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            int type = in.readUnsignedByte();
            in.skipNBytes(4);
            if (type == ALERT) {
                in.skipNBytes(1);
                return new ServerHello(in.readUnsignedByte(), -1);
            }
            in.skipNBytes(4 + 2 + 32); // header, version, random
            in.skipNBytes(in.readUnsignedByte()); // session
            return new ServerHello(-1, in.readUnsignedShort());
        }
    }

    private byte[] message() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(all);
        out.writeShort(version);
        out.write(new byte[32]); // random
        out.writeByte(0); // no session
        out.writeShort(suites.size() * 2);
        for (int suite : suites) {
            out.writeShort(suite);
        }
        out.writeShort(1 << 8); // no compression
        byte[] extensions = extensions();
        out.writeShort(extensions.length);
        out.write(extensions);
        return all.toByteArray();
    }

    private static byte[] extensions() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(all);
        writeList(out, SUPPORTED_GROUPS, 0x1D, 0x17, 0x18);
        writeList(out, SIGNATURE_ALGORITHMS, 0x0403, 0x0503, 0x0804, 0x0805, 0x0401, 0x0501, 0x0203, 0x0201);
        out.writeShort(POINT_FORMATS);
        out.writeShort(2);
        out.writeShort(1 << 8);
        out.writeShort(RENEGOTIATION_INFO);
        out.writeShort(1);
        out.writeByte(0);
        return all.toByteArray();
    }

    private static void writeList(DataOutputStream out, int extension, int... values) throws IOException {
        out.writeShort(extension);
        out.writeShort(values.length * 2 + 2);
        out.writeShort(values.length * 2);
        for (int value : values) {
            out.writeShort(value);
        }
    }
}

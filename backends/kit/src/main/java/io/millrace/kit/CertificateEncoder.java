package io.millrace.kit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.Signature;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Set;

/**
 * An encoder of self-signed certificates of servers: X.509 version 3 (RFC 5280) in DER, which the JDK reads but does
 * not write. Thread-safe.
 *
 * @param commonName the subject's, at most 64 characters
 * @param names host names, and addresses as {@link InetAddress#getHostAddress} returns them
 */
public record CertificateEncoder(String commonName, Set<String> names) {
    private static final int BOOLEAN = 0x01;
    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OCTET_STRING = 0x04;
    private static final int OBJECT_IDENTIFIER = 0x06;
    private static final int UTF8_STRING = 0x0C;
    private static final int GENERALIZED_TIME = 0x18;
    private static final int UTC_TIME = 0x17;
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;

    /** The tags of a name in a list of names. */
    private static final int DNS_NAME = 0x82;

    private static final int IP_ADDRESS = 0x87;

    /** The tags of version and extensions in a certificate. */
    private static final int VERSION = 0xA0;

    private static final int EXTENSIONS = 0xA3;

    private static final byte[] ECDSA_WITH_SHA256 = oid(0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02);
    private static final byte[] COMMON_NAME = oid(0x55, 0x04, 0x03);
    private static final byte[] SUBJECT_KEY_IDENTIFIER = oid(0x55, 0x1D, 0x0E);
    private static final byte[] KEY_USAGE = oid(0x55, 0x1D, 0x0F);
    private static final byte[] SUBJECT_ALTERNATIVE_NAME = oid(0x55, 0x1D, 0x11);
    private static final byte[] BASIC_CONSTRAINTS = oid(0x55, 0x1D, 0x13);
    private static final byte[] EXTENDED_KEY_USAGE = oid(0x55, 0x1D, 0x25);
    private static final byte[] SERVER_AUTHENTICATION = oid(0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01);

    /** A bit string of the first bit only, after the number of unused ones. */
    private static final byte[] DIGITAL_SIGNATURE = {7, (byte) 0x80};

    /**
     * Returns the certificate of these keys, of which the private one signs it.
     *
     * @param keys of an elliptic curve
     */
    public byte[] signed(KeyPair keys, Instant from, Instant until)
            throws GeneralSecurityException, UnknownHostException {
        byte[] algorithm = der(SEQUENCE, ECDSA_WITH_SHA256);
        byte[] name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, commonName.getBytes(UTF_8)))));
        byte[] publicKey = keys.getPublic().getEncoded();
        byte[] content = der(
                SEQUENCE,
                der(VERSION, integer(BigInteger.TWO)),
                integer(new BigInteger(127, new SecureRandom()).setBit(126)),
                algorithm,
                name,
                der(SEQUENCE, time(from), time(until)),
                name,
                publicKey,
                der(EXTENSIONS, extensions(publicKey)));
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(keys.getPrivate());
        signature.update(content);
        return der(SEQUENCE, content, algorithm, der(BIT_STRING, new byte[] {0}, signature.sign()));
    }

    private byte[] extensions(byte[] publicKey) throws GeneralSecurityException, UnknownHostException {
        byte[] identifier = MessageDigest.getInstance("SHA-256").digest(publicKey);
        return der(
                SEQUENCE,
                critical(BASIC_CONSTRAINTS, der(SEQUENCE)),
                critical(KEY_USAGE, der(BIT_STRING, DIGITAL_SIGNATURE)),
                extension(EXTENDED_KEY_USAGE, der(SEQUENCE, SERVER_AUTHENTICATION)),
                extension(SUBJECT_KEY_IDENTIFIER, der(OCTET_STRING, identifier)),
                extension(SUBJECT_ALTERNATIVE_NAME, alternativeNames()));
    }

    private byte[] alternativeNames() throws UnknownHostException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (String name : names) {
            boolean isAddress = name.indexOf(':') >= 0 || name.matches("[0-9.]+");
            all.writeBytes(
                    isAddress
                            ? der(IP_ADDRESS, InetAddress.getByName(name).getAddress())
                            : der(DNS_NAME, name.getBytes(US_ASCII)));
        }
        return der(SEQUENCE, all.toByteArray());
    }

    private static byte[] critical(byte[] oid, byte[] value) {
        return der(SEQUENCE, oid, der(BOOLEAN, new byte[] {(byte) 0xFF}), der(OCTET_STRING, value));
    }

    private static byte[] extension(byte[] oid, byte[] value) {
        return der(SEQUENCE, oid, der(OCTET_STRING, value));
    }

    /** Years from 2050 have four digits. */
    private static byte[] time(Instant time) {
        boolean isShort = time.atOffset(ZoneOffset.UTC).getYear() < 2050;
        DateTimeFormatter format = DateTimeFormatter.ofPattern(isShort ? "yyMMddHHmmss'Z'" : "uuuuMMddHHmmss'Z'");
        return der(
                isShort ? UTC_TIME : GENERALIZED_TIME,
                format.format(time.atOffset(ZoneOffset.UTC)).getBytes(US_ASCII));
    }

    private static byte[] integer(BigInteger value) {
        return der(INTEGER, value.toByteArray());
    }

    private static byte[] oid(int... bytes) {
        byte[] encoded = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            encoded[i] = (byte) bytes[i];
        }
        return der(OBJECT_IDENTIFIER, encoded);
    }

    /** Returns a value with its tag and length, made of parts. */
    private static byte[] der(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        ByteArrayOutputStream value = new ByteArrayOutputStream();
        value.write(tag);
        int length = content.size();
        if (length >= 0x80) {
            byte[] digits = BigInteger.valueOf(length).toByteArray();
            int leading = digits[0] == 0 ? 1 : 0;
            value.write(0x80 | (digits.length - leading));
            value.write(digits, leading, digits.length - leading);
        } else {
            value.write(length);
        }
        value.writeBytes(content.toByteArray());
        return value.toByteArray();
    }
}

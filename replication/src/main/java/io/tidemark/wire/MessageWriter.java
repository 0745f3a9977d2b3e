package io.tidemark.wire;

import io.tidemark.wire.sbe.AdminReplyEncoder;
import io.tidemark.wire.sbe.AdminRequestEncoder;
import io.tidemark.wire.sbe.ConsumeReplyEncoder;
import io.tidemark.wire.sbe.ConsumeRequestEncoder;
import io.tidemark.wire.sbe.DescribeBrokerReplyEncoder;
import io.tidemark.wire.sbe.DescribeBrokerRequestEncoder;
import io.tidemark.wire.sbe.FetchReplyEncoder;
import io.tidemark.wire.sbe.FetchRequestEncoder;
import io.tidemark.wire.sbe.HelloEncoder;
import io.tidemark.wire.sbe.HelloReplyEncoder;
import io.tidemark.wire.sbe.InitProducerIdReplyEncoder;
import io.tidemark.wire.sbe.InitProducerIdRequestEncoder;
import io.tidemark.wire.sbe.MessageHeaderEncoder;
import io.tidemark.wire.sbe.MetadataReplyEncoder;
import io.tidemark.wire.sbe.MetadataRequestEncoder;
import io.tidemark.wire.sbe.OffsetsReplyEncoder;
import io.tidemark.wire.sbe.OffsetsRequestEncoder;
import io.tidemark.wire.sbe.ProduceReplyEncoder;
import io.tidemark.wire.sbe.ProduceRequestEncoder;
import io.tidemark.wire.sbe.UpdateStatesReplyEncoder;
import io.tidemark.wire.sbe.UpdateStatesRequestEncoder;
import io.tidemark.wire.sbe.WitnessReplyEncoder;
import io.tidemark.wire.sbe.WitnessRequestEncoder;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.sbe.MessageEncoderFlyweight;

/**
 * Encodes one message header after another into a buffer of its own, which grows to the largest message and is reused.
 *
 * <p>Call the method named as the message, fill the encoder that it returns (fields in any order, then groups and
 * variable data in the order of the schema), then send {@link #buffer()} from 0 for {@link #length()} bytes. The next
 * call overwrites the message. Allocates nothing in steady state. Not thread-safe: one per owner thread.
 */
public final class MessageWriter {
    private final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer(512);
    private final MessageHeaderEncoder messageHeader = new MessageHeaderEncoder();
    private final HelloEncoder hello = new HelloEncoder();
    private final HelloReplyEncoder helloReply = new HelloReplyEncoder();
    private final ProduceRequestEncoder produceRequest = new ProduceRequestEncoder();
    private final ProduceReplyEncoder produceReply = new ProduceReplyEncoder();
    private final FetchRequestEncoder fetchRequest = new FetchRequestEncoder();
    private final FetchReplyEncoder fetchReply = new FetchReplyEncoder();
    private final ConsumeRequestEncoder consumeRequest = new ConsumeRequestEncoder();
    private final ConsumeReplyEncoder consumeReply = new ConsumeReplyEncoder();
    private final MetadataRequestEncoder metadataRequest = new MetadataRequestEncoder();
    private final MetadataReplyEncoder metadataReply = new MetadataReplyEncoder();
    private final AdminRequestEncoder adminRequest = new AdminRequestEncoder();
    private final AdminReplyEncoder adminReply = new AdminReplyEncoder();
    private final InitProducerIdRequestEncoder initProducerIdRequest = new InitProducerIdRequestEncoder();
    private final InitProducerIdReplyEncoder initProducerIdReply = new InitProducerIdReplyEncoder();
    private final OffsetsRequestEncoder offsetsRequest = new OffsetsRequestEncoder();
    private final OffsetsReplyEncoder offsetsReply = new OffsetsReplyEncoder();
    private final UpdateStatesRequestEncoder updateStatesRequest = new UpdateStatesRequestEncoder();
    private final UpdateStatesReplyEncoder updateStatesReply = new UpdateStatesReplyEncoder();
    private final DescribeBrokerRequestEncoder describeBrokerRequest = new DescribeBrokerRequestEncoder();
    private final DescribeBrokerReplyEncoder describeBrokerReply = new DescribeBrokerReplyEncoder();
    private final WitnessRequestEncoder witnessRequest = new WitnessRequestEncoder();
    private final WitnessReplyEncoder witnessReply = new WitnessReplyEncoder();
    private MessageEncoderFlyweight current = hello;

    /** Creates a writer with a small buffer. */
    public MessageWriter() {}

    /**
     * The buffer that holds the message last begun, from index 0.
     *
     * @return always the same buffer
     */
    public MutableDirectBuffer buffer() {
        return buffer;
    }

    /**
     * Length of the message last begun, with its SBE message header, as far as it is encoded by now.
     *
     * @return bytes from index 0
     */
    public int length() {
        return MessageHeaderEncoder.ENCODED_LENGTH + current.encodedLength();
    }

    /**
     * The message last begun, copied, for owners that keep it or hand it to another thread.
     *
     * @return a new array of {@link #length()} bytes
     */
    public byte[] copy() {
        byte[] bytes = new byte[length()];
        buffer.getBytes(0, bytes);
        return bytes;
    }

    /**
     * Begins a Hello.
     *
     * @return the encoder to fill
     */
    public HelloEncoder hello() {
        current = hello;
        return hello.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a HelloReply.
     *
     * @return the encoder to fill
     */
    public HelloReplyEncoder helloReply() {
        current = helloReply;
        return helloReply.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a ProduceRequest.
     *
     * @return the encoder to fill
     */
    public ProduceRequestEncoder produceRequest() {
        current = produceRequest;
        return produceRequest.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a ProduceReply.
     *
     * @return the encoder to fill
     */
    public ProduceReplyEncoder produceReply() {
        current = produceReply;
        return produceReply.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a FetchRequest.
     *
     * @return the encoder to fill
     */
    public FetchRequestEncoder fetchRequest() {
        current = fetchRequest;
        return fetchRequest.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a FetchReply.
     *
     * @return the encoder to fill
     */
    public FetchReplyEncoder fetchReply() {
        current = fetchReply;
        return fetchReply.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a ConsumeRequest.
     *
     * @return the encoder to fill
     */
    public ConsumeRequestEncoder consumeRequest() {
        current = consumeRequest;
        return consumeRequest.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a ConsumeReply.
     *
     * @return the encoder to fill
     */
    public ConsumeReplyEncoder consumeReply() {
        current = consumeReply;
        return consumeReply.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a MetadataRequest.
     *
     * @return the encoder to fill
     */
    public MetadataRequestEncoder metadataRequest() {
        current = metadataRequest;
        return metadataRequest.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a MetadataReply.
     *
     * @return the encoder to fill
     */
    public MetadataReplyEncoder metadataReply() {
        current = metadataReply;
        return metadataReply.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a AdminRequest.
     *
     * @return the encoder to fill
     */
    public AdminRequestEncoder adminRequest() {
        current = adminRequest;
        return adminRequest.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a AdminReply.
     *
     * @return the encoder to fill
     */
    public AdminReplyEncoder adminReply() {
        current = adminReply;
        return adminReply.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a InitProducerIdRequest.
     *
     * @return the encoder to fill
     */
    public InitProducerIdRequestEncoder initProducerIdRequest() {
        current = initProducerIdRequest;
        return initProducerIdRequest.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a InitProducerIdReply.
     *
     * @return the encoder to fill
     */
    public InitProducerIdReplyEncoder initProducerIdReply() {
        current = initProducerIdReply;
        return initProducerIdReply.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a OffsetsRequest.
     *
     * @return the encoder to fill
     */
    public OffsetsRequestEncoder offsetsRequest() {
        current = offsetsRequest;
        return offsetsRequest.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a OffsetsReply.
     *
     * @return the encoder to fill
     */
    public OffsetsReplyEncoder offsetsReply() {
        current = offsetsReply;
        return offsetsReply.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a UpdateStatesRequest.
     *
     * @return the encoder to fill
     */
    public UpdateStatesRequestEncoder updateStatesRequest() {
        current = updateStatesRequest;
        return updateStatesRequest.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a UpdateStatesReply.
     *
     * @return the encoder to fill
     */
    public UpdateStatesReplyEncoder updateStatesReply() {
        current = updateStatesReply;
        return updateStatesReply.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a DescribeBrokerRequest.
     *
     * @return the encoder to fill
     */
    public DescribeBrokerRequestEncoder describeBrokerRequest() {
        current = describeBrokerRequest;
        return describeBrokerRequest.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a DescribeBrokerReply.
     *
     * @return the encoder to fill
     */
    public DescribeBrokerReplyEncoder describeBrokerReply() {
        current = describeBrokerReply;
        return describeBrokerReply.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a WitnessRequest.
     *
     * @return the encoder to fill
     */
    public WitnessRequestEncoder witnessRequest() {
        current = witnessRequest;
        return witnessRequest.wrapAndApplyHeader(buffer, 0, messageHeader);
    }

    /**
     * Begins a WitnessReply.
     *
     * @return the encoder to fill
     */
    public WitnessReplyEncoder witnessReply() {
        current = witnessReply;
        return witnessReply.wrapAndApplyHeader(buffer, 0, messageHeader);
    }
}

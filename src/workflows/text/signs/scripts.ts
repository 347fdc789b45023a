// Several ways to write the same word in scripts other than Latin. The first form is the one that patterns have.
const cyrillic = /[\u0430-\u04ff]/;
const georgian = /[\u10d0-\u10fa]/;
const foreign = /[a-z0-9@$]/;

/** What a Cyrillic or Georgian word with letters or digits of another script stands for; undefined for any other word. */
export function inItsScript(word: string): string | undefined {
  if (!foreign.test(word)) return undefined;
  if (cyrillic.test(word)) return read(word, cyrillicAlikes);
  return georgian.test(word) ? read(word, georgianAlikes) : undefined;
}

const arabicVariants: ReadonlyMap<string, string> = new Map([
  ['\u0649', '\u064a'],
  ['\u06cc', '\u064a'],
  ['\u0629', '\u0647'],
  ['\u06a9', '\u0643'],
  ['\u0671', '\u0627'],
  ...[...'\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669'].map(
    (digit, value) => [digit, `${value}`] as const,
  ),
  ...[...'\u06f0\u06f1\u06f2\u06f3\u06f4\u06f5\u06f6\u06f7\u06f8\u06f9'].map(
    (digit, value) => [digit, `${value}`] as const,
  ),
]);
// "and", "so"; "with", "like", "to"; the article, before which "to" loses its alef.
const withArticle = /^[\u0648\u0641]?(?:[\u0628\u0643]?\u0627\u0644|\u0644\u0644)(?=.{3})/;
const withConjunction = /^[\u0648\u0641](?=.{3})/;
const withPreposition = /^[\u0648\u0641]?[\u0628\u0644](?=.{3})/;

/** A word without the letters that are written in several ways, and without what is written onto it. */
export function arabicForms(word: string): string[] {
  let plain = '';
  for (const letter of word) plain += arabicVariants.get(letter) ?? letter;
  const forms = [plain];
  const bare = plain.replace(withArticle, '');
  if (bare !== plain) return [plain, bare];
  for (const particle of [withConjunction, withPreposition]) {
    const rest = plain.replace(particle, '');
    if (rest !== plain && !forms.includes(rest)) forms.push(rest);
  }
  return forms;
}

const cyrillicAlikes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ a: 'а', b: 'в', c: 'с', e: 'е', h: 'н', k: 'к', m: 'м', o: 'о', p: 'р', t: 'т', u: 'и', x: 'х', y: 'у' },
    ...{ '0': 'о', '3': 'з', '4': 'ч', '6': 'б', '@': 'а', $: 'с' },
  }),
);
const georgianAlikes: ReadonlyMap<string, string> = new Map(Object.entries({ '0': 'ო', '3': 'ვ', '@': 'ა', o: 'ო' }));

function read(word: string, alikes: ReadonlyMap<string, string>): string {
  let own = '';
  for (const letter of word) own += alikes.get(letter) ?? letter;
  return own;
}

const traditional =
  '個們為這來對會發錢轉帳賬匯號碼戶驗證銀點擊鏈連結輸請給買賣貨單價優機槍彈藥癒癥療體減險穩賺賠虧獲獎費繳納稅關貸還債務資產' +
  '業報導據數電話網頁郵訊動態額當時間門問題說聽讓認識記該護財貪貧賓贈購員圓處癮藍殺傷腳斷燒劉張陳趙檢審規則執應錄雲與並從後' +
  '復達運過進選遺醫師專櫃製錶標誌鑒鑑試誤詐騙謊監視頻聯絡絕維紅級純紙終組細經綁線編縮總續負責貼貿質車軟輕農遞遠適鄰針釘鈔鐵' +
  '銷鍵鎖鐘長開閉陽陰隊階隨雙難離靈靜頂項順預領頭風飛飲館馬驚髮鬥魚鳥麗麥黃齊齡龍歡殘壓學寫實寶將層屬島帶幫幣幹廣廠強徑愛慮' +
  '憑戰戲擇擔擴擾攜無舊曉條極構樓樣權術嗎誰傭漲撥贏閒滅贖賊葉紀庫';
const simple =
  '个们为这来对会发钱转账账汇号码户验证银点击链连结输请给买卖货单价优机枪弹药愈症疗体减险稳赚赔亏获奖费缴纳税关贷还债务资产' +
  '业报导据数电话网页邮讯动态额当时间门问题说听让认识记该护财贪贫宾赠购员圆处瘾蓝杀伤脚断烧刘张陈赵检审规则执应录云与并从后' +
  '复达运过进选遗医师专柜制表标志鉴鉴试误诈骗谎监视频联络绝维红级纯纸终组细经绑线编缩总续负责贴贸质车软轻农递远适邻针钉钞铁' +
  '销键锁钟长开闭阳阴队阶随双难离灵静顶项顺预领头风飞饮馆马惊发斗鱼鸟丽麦黄齐龄龙欢残压学写实宝将层属岛带帮币干广厂强径爱虑' +
  '凭战戏择担扩扰携无旧晓条极构楼样权术吗谁佣涨拨赢闲灭赎贼叶纪库';

/** The simplified form of traditional characters, of those that signs are likely to need. */
export const simplified: ReadonlyMap<string, string> = new Map(
  [...traditional].map((character, index) => [character, simple[index] as string]),
);
